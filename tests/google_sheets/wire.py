"""HTTP on loopback: cheroot's server in a thread, and the gateway that writes or breaks off."""

from __future__ import annotations

import contextlib
import http.client
import select
import socket
import struct
import threading
from typing import TYPE_CHECKING, Any

from cheroot import server as cheroot_server
from cheroot.ssl.builtin import BuiltinSSLAdapter

from .service import Answer, Request, Service

if TYPE_CHECKING:
    from .certificates import Certificates

_THREADS = 24  # a request that hangs, and a proxy's tunnel, holds one each
_IDLE = 30  # seconds a kept connection may rest
_LOOK_EVERY = 0.05  # seconds between looks whether a client gave up


class Listener:
    """A cheroot server on a free loopback port; ``closing`` tells gateways to let go."""

    def __init__(
        self, gateway: Any, port: int = 0, certificates: Certificates | None = None
    ) -> None:
        self.closing = threading.Event()
        self._server = cheroot_server.HTTPServer(
            ("127.0.0.1", port), gateway, minthreads=_THREADS, maxthreads=_THREADS
        )
        self._server.timeout = _IDLE
        self._server.shutdown_timeout = 1
        self._server.server_name = "ESF"
        if certificates is not None:
            self._server.ssl_adapter = BuiltinSSLAdapter(
                str(certificates.certificate), str(certificates.key)
            )
        self._thread = threading.Thread(target=self._server.serve, daemon=True)

    @property
    def raw(self) -> Any:
        return self._server

    @property
    def port(self) -> int:
        return int(self._server.bind_addr[1])

    def start(self) -> None:
        self._server.prepare()
        self._thread.start()

    def stop(self) -> None:
        self.closing.set()
        self._server.stop()
        self._thread.join(5)


def service_gateway(service: Service, closing: threading.Event) -> type[cheroot_server.Gateway]:
    """A gateway class bound to a service, in the shape in which cheroot asks for it."""

    class ServiceGateway(cheroot_server.Gateway):
        def respond(self) -> None:
            request = self.req
            answer = service.handle(_received(request))
            if answer.ending == "answer":
                _send(request, answer)
            elif answer.ending == "hang":
                _wait_in_vain(request, closing)
                break_off(request)
            else:
                _drop(request, answer)

    return ServiceGateway


def _received(request: Any) -> Request:
    headers = {
        k.decode("latin-1").lower(): v.decode("latin-1") for k, v in request.inheaders.items()
    }
    return Request(
        request.method.decode("latin-1"),
        request.uri.decode("latin-1"),
        headers,
        request.rfile.read(),
    )


def _wait_in_vain(request: Any, closing: threading.Event) -> None:
    """Say nothing until the client gives up or the server is closed."""
    while not closing.wait(_LOOK_EVERY):
        if select.select([request.conn.socket], [], [], 0)[0]:
            return


def _headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    headers = {"Cache-Control": "private", "Vary": "Origin, X-Origin, Referer"} | answer.headers
    if answer.status != 204:
        headers["Content-Length"] = str(len(answer.body))
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


def _send(request: Any, answer: Answer) -> None:
    reason = http.client.responses.get(answer.status, "Unknown")
    request.status = f"{answer.status} {reason}".encode("latin-1")
    request.outheaders = _headers(answer)
    request.ensure_headers_sent()
    if answer.body:
        request.write(answer.body)


def _drop(request: Any, answer: Answer) -> None:
    """Close the connection: before any byte, or after the headers and some bytes of the body."""
    if answer.after_bytes is not None:
        request.status = b"200 OK"
        request.outheaders = _headers(answer)
        request.ensure_headers_sent()
        request.write(answer.body[: min(answer.after_bytes, len(answer.body) - 1)])
        with contextlib.suppress(OSError):
            request.conn.wfile.flush()
        end(request)
    else:
        break_off(request)


def break_off(request: Any) -> None:
    """Reset the connection, without the courtesy of an answer."""
    with contextlib.suppress(OSError):
        now = struct.pack("ii", 1, 0)
        request.conn.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
    end(request)


def end(request: Any) -> None:
    """Close the connection; what was written before still arrives."""
    request.sent_headers = True
    request.close_connection = True
    raw: socket.socket = request.conn.socket
    with contextlib.suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)
