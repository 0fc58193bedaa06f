"""`aesmith serve`: the report with work behind it, over HTTP, for who sits at this machine and nobody else.

    GET  /?token=T               the page
    GET  /api/work               all pieces of work
    POST /api/work               ask for one (`tasks`)
    POST /api/work/ID/cancel     call one off
    GET  /api/work/ID/package    the zip file that it made

It listens on 127.0.0.1 only. A page of another site, which the same browser may have open, gets nothing: the host that
is asked for must be this address, so that no name that leads here will do (DNS rebinding); what changes something must
come from this origin, as JSON; and whatever is asked needs the token, which is new each time and in the printed address
only. No file is read by a path that is asked for: there are these addresses, and no others.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from aesmith import __version__
from aesmith.errors import AesmithError, RequestError
from aesmith.publish.report.page import report_html
from aesmith.serve.queue import WorkQueue
from aesmith.serve.tasks import ShownPoints, Tasks

ADDRESS = "127.0.0.1"
LONGEST_BODY = 1 << 16
TOKEN_HEADER = "X-Aesmith-Token"
_WORK = re.compile(r"/api/work/([0-9a-f]{16})/(cancel|package)")
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class ReportServer(ThreadingHTTPServer):
    """The server of one report. `url` is the address to open: whoever has it may use this server."""

    daemon_threads = True

    def __init__(self, tasks: Tasks, queue: WorkQueue, *, title: str, source: str | None, port: int = 0) -> None:
        """Listen on a port, or with 0 on any that is free. Raises RequestError if it is taken or cannot be had."""
        self.tasks, self.queue = tasks, queue
        self.title, self.source = title, source
        self.token = secrets.token_urlsafe(32)
        if not 0 <= port < 1 << 16:
            raise RequestError(f"port: must be 0 to 65535, not {port}")
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            reason = error.strerror or error
            raise RequestError(
                f"port: {port} cannot be had ({reason}); choose another, or 0 for any free one"
            ) from error
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def server_bind(self) -> None:
        """Without asking what this machine is called, which may take long and is of no use here."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.server_address[1]

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/?token={self.token}"

    def page(self) -> str:
        """The report as it is now, with what the page needs to ask for work."""
        live = {"token": self.token, "header": TOKEN_HEADER, **self.tasks.choices()}
        placed = self.tasks.placed() if self.source is None else None
        return report_html(self.tasks.points, self.title, self.source, live, placed, further=self.tasks.further())


class _Refusal(Exception):  # noqa: N818 - it is an answer
    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = f"aesmith/{__version__}", ""
    timeout = 60

    @property
    def _report(self) -> ReportServer:
        return cast(ReportServer, self.server)

    def log_message(self, *_: object) -> None:
        """Nothing: addresses have the token in them."""

    def do_GET(self) -> None:
        """The page, what is told of work, packages."""
        self._answer(self._got)

    def do_POST(self) -> None:
        """Work that is asked for or called off."""
        self._answer(self._posted)

    def _answer(self, answered: Any) -> None:
        try:
            self._check_host()
            answered()
        except _Refusal as refusal:
            self._say(refusal.status, str(refusal))
        except AesmithError as error:
            self._say(HTTPStatus.BAD_REQUEST, str(error))
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:
            self._say(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"{error!r}: this is a fault of aesmith itself; please report it"
            )

    def _got(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/":
            self._check_token((parse_qs(asked.query).get("token") or [""])[0])
            page = self._report.page()
            self._send(
                HTTPStatus.OK, page.encode(), "text/html; charset=utf-8", {"Content-Security-Policy": _policy(page)}
            )
            return
        self._check_token(self.headers.get(TOKEN_HEADER, ""))
        if asked.path == "/api/work":
            self._send_json(self._report.queue.told())
        elif (work := _WORK.fullmatch(asked.path)) and work[2] == "package":
            self._send_package(work[1])
        else:
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")

    def _posted(self) -> None:
        body = self._body()
        if self.headers.get("Origin", "") not in {f"http://{host}" for host in self._report.hosts}:
            raise _Refusal(HTTPStatus.FORBIDDEN, "origin: work can only be asked for from the page of this server")
        self._check_token(self.headers.get(TOKEN_HEADER, ""))
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "work is asked for in JSON")
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _Refusal(HTTPStatus.BAD_REQUEST, f"this is no JSON: {error}") from error
        if not isinstance(asked, dict):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "work is asked for by fields with their values")
        place = urlsplit(self.path).path
        if place == "/api/work":
            self._send_json(self._report.queue.add(*self._report.tasks.of(asked)), HTTPStatus.ACCEPTED)
        elif (work := _WORK.fullmatch(place)) and work[2] == "cancel":
            self._send_json(self._report.queue.cancel(self._job(work[1])))
        else:
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")

    def _check_host(self) -> None:
        if self.headers.get_all("Host", []) not in [[host] for host in self._report.hosts]:
            self.close_connection = True
            raise _Refusal(
                HTTPStatus.MISDIRECTED_REQUEST, "host: this server answers under the address it printed only"
            )

    def _check_token(self, token: str) -> None:
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._report.token.encode()):
            raise _Refusal(
                HTTPStatus.FORBIDDEN, "token: open the address that `aesmith serve` printed; it has the token"
            )

    def _body(self) -> bytes:
        """What was sent, whatever is answered: it must not be taken for the next request."""
        length = self.headers.get("Content-Length", "")
        if (
            not (length.isascii() and length.isdigit())
            or int(length) > LONGEST_BODY
            or "Transfer-Encoding" in self.headers
        ):
            self.close_connection = True
            raise _Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request must say its length, at most {LONGEST_BODY:,} bytes"
            )
        return self.rfile.read(int(length))

    def _job(self, identity: str) -> Any:
        job = self._report.queue.find(identity)
        if job is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, "work: this is not known, or not any more")
        return job

    def _send_package(self, identity: str) -> None:
        outcome = self._job(identity).outcome
        if outcome is None or not outcome.content:
            raise _Refusal(HTTPStatus.NOT_FOUND, "work: it has made no package")
        named = {"Content-Disposition": f'attachment; filename="{outcome.file}"'}
        self._send(HTTPStatus.OK, outcome.content, "application/zip", named)

    def _send_json(self, values: object, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(status, json.dumps(values).encode(), "application/json")

    def _say(self, status: HTTPStatus, words: str) -> None:
        if status >= HTTPStatus.BAD_REQUEST and self.command == "POST" and self.close_connection is False:
            # A body that was not read would be taken for the next request.
            self.close_connection = True
        with suppress(ConnectionError):
            self._send_json({"error": words}, status)

    def _send(self, status: HTTPStatus, content: bytes, kind: str, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            **({"Connection": "close"} if self.close_connection else {}),
            **(more or {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def _policy(page: str) -> str:
    """The page runs its own scripts, known by their digests, and asks nobody but this server."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in _SCRIPT.findall(page)]
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def serve(
    shown: ShownPoints, *, title: str, store: str | None, jobs: int | None, port: int, opened: Callable[[str], None]
) -> None:
    """Serve the report of these points until interrupted (Ctrl-C); `opened` is told its address once it listens.

    Results are kept in `store`. What is at work when it ends is cancelled, with all programs it has started. Raises
    RequestError for points of which none is done, and for a port that cannot be had.
    """
    tasks = Tasks(shown.points, store, jobs)
    with WorkQueue() as queue, ReportServer(tasks, queue, title=title, source=shown.source, port=port) as server:
        server.page()
        opened(server.url)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)


def open_browser(url: str) -> bool:
    """Open an address in the desktop's browser, and say whether there is one: one in the terminal will not do."""
    desktop = sys.platform in ("darwin", "win32") or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    try:
        return desktop and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False
