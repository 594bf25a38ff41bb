"""A server in the place of Discord: the few calls of a webhook, over TLS on loopback.

    with Discord() as discord, discord.led():
        run the program with discord.address in its environment
        assert discord.channel == [Message("1", "Hello", {"pen.png": b"…"}, {"parse": []})]

Answers can be planned: ``discord.answers.append((429, {"retry_after": 0.4}))`` is given once, in
place of posting; a status of 0 hangs up without an answer, after posting where ``posts`` says so.
"""

from __future__ import annotations

import email.parser
import email.policy
import json
import re
import ssl
import tempfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest

from tests.google_sheets import certificates
from tests.google_sheets.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "s3cret-Token_of.the-webhook"
FIRST_ID = 1444000000000000001
_PATH = re.compile(rf"/api/webhooks/99/{re.escape(TOKEN)}\?(?:thread_id=\d+&)?wait=True")


class Message(NamedTuple):
    """A message in the channel."""

    id: str
    text: str
    files: dict[str, bytes]
    allowed_mentions: dict[str, Any]


class Planned(NamedTuple):
    """An answer given once: a status (0 hangs up) and what it says; ``posts`` before it."""

    status: int
    body: Any = None
    posts: bool = False


class Discord:
    """The webhook of one channel."""

    def __init__(self) -> None:
        self.channel: list[Message] = []
        self.answers: list[Planned] = []
        self.requests = 0
        self._folder = tempfile.TemporaryDirectory(prefix="discord-")
        self._certificates = certificates.make(Path(self._folder.name))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificates.certificate, self._certificates.key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._proxy = Proxy(self.port)
        self._proxy.routes = {"discord.com": self.port}

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def address(self) -> str:
        """The webhook's address, which is a secret."""
        return f"https://discord.com/api/webhooks/99/{TOKEN}"

    @property
    def environment(self) -> dict[str, str]:
        """What leads a process here."""
        return {
            "HTTPS_PROXY": self._proxy.url,
            "REQUESTS_CA_BUNDLE": str(self._certificates.authority),
            "REFEREE_DISCORD_WEBHOOK": self.address,
        }

    @contextmanager
    def led(self) -> Iterator[None]:
        """Lead this process here, and nowhere else."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
                patch.delenv(name, raising=False)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            yield

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self._proxy.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._proxy.stop()
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()

    def unplug(self) -> None:
        """Lead nobody here any more."""
        self._proxy.routes = {}

    def answer(self, path: str, content_type: str, body: bytes) -> Planned:
        """Return what Discord answers to one request, after doing what it asks."""
        self.requests += 1
        planned = self.answers.pop(0) if self.answers else None
        if not _PATH.fullmatch(path):
            return Planned(404, {"message": "Unknown Webhook", "code": 10015})
        if planned is not None and not planned.posts:
            return planned
        payload, files = _parts(content_type, body)
        text = payload.get("content", "")
        if not 0 < len(text) <= 2000:
            return Planned(400, {"message": "Must be 2000 or fewer in length.", "code": 50035})
        number = str(FIRST_ID + len(self.channel))
        self.channel.append(Message(number, text, files, payload["allowed_mentions"]))
        return planned or Planned(200, {"id": number, "content": text, "type": 0})


def _parts(content_type: str, body: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    if not content_type.startswith("multipart/form-data"):
        return json.loads(body), {}
    whole = b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    parsed = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(whole)
    payload: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for part in parsed.iter_parts():
        name = part.get_param("name", header="content-disposition")
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        if name == "payload_json":
            payload = json.loads(data)
        else:
            files[str(part.get_filename())] = data
    return payload, files


def _handler(discord: Discord) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = discord.answer(self.path, self.headers["Content-Type"], body)
            if not answer.status:
                self.close_connection = True
                return
            is_text = isinstance(answer.body, str)
            data = (answer.body if is_text else json.dumps(answer.body)).encode()
            self.send_response(answer.status)
            self.send_header("Content-Type", "text/html" if is_text else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            return

    return Handler
