"""An HTTPS proxy on loopback that leads Google's hosts to the test server, and nothing elsewhere.

With ``HTTPS_PROXY`` and ``REQUESTS_CA_BUNDLE`` set, a client that knows only Google's addresses
talks to the test server: the proxy passes the bytes of a CONNECT tunnel on, and the server's
certificate, signed by the run's own authority, names Google's hosts.
"""

from __future__ import annotations

import contextlib
import select
import socket
from typing import TYPE_CHECKING, Any

from cheroot import server as cheroot_server

from .certificates import GOOGLE_HOSTS
from .wire import Listener, end

if TYPE_CHECKING:
    import threading

_CHUNK = 65536
_PAUSE = 0.1  # seconds after which a tunnel looks whether the proxy is closing


class Proxy:
    """Leads Google's hosts to ``target_port``, and whatever else ``routes`` names."""

    def __init__(self, target_port: int) -> None:
        self.refused: list[str] = []  # hosts asked for that are not Google's
        self.tunnels: list[str] = []  # hosts led to the test server
        self.routes = dict.fromkeys(GOOGLE_HOSTS, target_port)  # ports on this machine, by host
        self._listener = Listener(_gateway(self))
        self._listener.raw.ConnectionClass = _ProxyConnection

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.port}"

    def start(self) -> None:
        self._listener.start()

    def stop(self) -> None:
        self._listener.stop()

    def connect(self, request: Any) -> None:
        """Answer one CONNECT: open the tunnel and stay with it until either side ends."""
        host, _, port = request.authority.decode("latin-1").rpartition(":")
        if request.method != b"CONNECT" or host not in self.routes or port != "443":
            self.refused.append(host or request.uri.decode("latin-1"))
            request.simple_response(
                "403 Forbidden", "Only Google's hosts are reached through here."
            )
            request.sent_headers = request.close_connection = True
            return
        self.tunnels.append(host)
        with socket.create_connection(("127.0.0.1", self.routes[host])) as far:
            request.conn.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            _shuttle(request.conn.socket, far, self._listener.closing)
        end(request)


class _ProxyRequest(cheroot_server.HTTPRequest):
    def __init__(self, server: Any, conn: Any) -> None:
        super().__init__(server, conn, proxy_mode=True)


class _ProxyConnection(cheroot_server.HTTPConnection):
    RequestHandlerClass = _ProxyRequest


def _gateway(proxy: Proxy) -> type[cheroot_server.Gateway]:
    class ProxyGateway(cheroot_server.Gateway):
        def respond(self) -> None:
            proxy.connect(self.req)

    return ProxyGateway


def _shuttle(near: socket.socket, far: socket.socket, closing: threading.Event) -> None:
    near.settimeout(None)
    ends = {near: far, far: near}
    with contextlib.suppress(OSError):
        while not closing.is_set():
            ready, _, _ = select.select(list(ends), [], [], _PAUSE)
            for end in ready:
                chunk = end.recv(_CHUNK)
                if not chunk:
                    return
                ends[end].sendall(chunk)
