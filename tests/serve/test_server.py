"""What the server answers: the page and work to who has its address, and nothing to anybody else."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from aesmith.errors import RequestError
from aesmith.explore.points import is_engine, points_by
from aesmith.serve.queue import WorkQueue, WorkResult
from aesmith.serve.server import ADDRESS, LONGEST_BODY, TOKEN_HEADER, ReportServer, open_browser
from aesmith.serve.tasks import Tasks, points_to_show


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportServer]:
    tasks = Tasks(points_by("presets"), str(tmp_path_factory.mktemp("serve") / "s.sqlite"))
    with WorkQueue() as queue, ReportServer(tasks, queue, title="Mine", source="presets") as opened:
        thread = threading.Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield opened
        opened.shutdown()
        thread.join(10)


def origin(server: ReportServer) -> str:
    return f"http://{ADDRESS}:{server.server_port}"


def own(server: ReportServer) -> dict[str, str]:
    """What the page itself sends."""
    return {TOKEN_HEADER: server.token, "Origin": origin(server), "Content-Type": "application/json"}


def answer(
    server: ReportServer, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(ADDRESS, server.server_port, timeout=30)
    connection.putrequest(method, path, skip_host="Host" in headers)
    if body is not None and "Content-Length" not in headers:
        connection.putheader("Content-Length", str(len(body)))
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def asked(server: ReportServer, values: object, **more: str) -> tuple[int, Any]:
    response, content = answer(server, "POST", "/api/work", own(server) | more, json.dumps(values).encode())
    return response.status, json.loads(content)


def known_point(server: ReportServer) -> str:
    return str(server.tasks.points["key"].iloc[0])[:12]


def test_the_page_has_the_kinds_of_the_report_and_measures_those_of_libraries(server: ReportServer) -> None:
    """Also engines, which the points do not have: theirs come with aesmith."""
    _, content = answer(server, "GET", server.url.removeprefix(origin(server)), {})
    found = re.search(rb'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert [kind["name"] for kind in data["kinds"]] == ["core", "engine", "protected", "device"]
    assert not server.tasks.points["specification"].map(is_engine).any()
    words, indices = data["columns"]["kind"].values()
    of_kind = {words[index]: point for point, index in zip(data["ids"], indices, strict=True) if index is not None}
    for kind in ("core", "engine", "protected"):
        server.tasks.of({"kind": "core", "point": of_kind[kind], "library": "generic45"})
    with pytest.raises(RequestError, match="there is no point"):
        server.tasks.of({"kind": "core", "point": of_kind["device"], "library": "generic45"})


def test_the_address_gives_the_page_to_this_machine_only(server: ReportServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    response, content = answer(server, "GET", server.url.removeprefix(origin(server)), {})
    assert response.status == 200
    assert b"<title>Mine</title>" in content
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["Cache-Control"] == "no-store"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in re.search(r"script-src ([^;]*)", policy)[1]  # type: ignore[index]
    assert server.token not in server.url.split("?")[0]
    assert len(server.token) >= 40


HOSTILE = {
    "no token": ("GET", "/", {}, 403),
    "a wrong token": ("GET", "/?token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", {}, 403),
    "a token of other letters": ("GET", "/?token=%C3%A9%00%F0", {}, 403),
    "work without a token": ("GET", "/api/work", {TOKEN_HEADER: ""}, 403),
    "another name for this address": ("GET", "/?token=TOKEN", {"Host": "evil.example:PORT"}, 421),
    "no port in the host": ("GET", "/?token=TOKEN", {"Host": "127.0.0.1"}, 421),
    "an address of the network": ("GET", "/?token=TOKEN", {"Host": "0.0.0.0:PORT"}, 421),
    "a post from another site": ("POST", "/api/work", {"Origin": "https://evil.example"}, 403),
    "a post from another port": ("POST", "/api/work", {"Origin": "http://127.0.0.1:1"}, 403),
    "a post from a file": ("POST", "/api/work", {"Origin": "null"}, 403),
    "a post without an origin": ("POST", "/api/work", {"Origin": ""}, 403),
    "a post without a token": ("POST", "/api/work", {TOKEN_HEADER: ""}, 403),
    "a form": ("POST", "/api/work", {"Content-Type": "text/plain"}, 415),
    "cancelling from another site": ("POST", "/api/work/0123456789abcdef/cancel", {"Origin": "http://evil"}, 403),
    "a file": ("GET", "/../../etc/passwd", {}, 404),
    "a file behind work": ("GET", "/api/work/../../../etc/passwd", {}, 404),
    "a file, hidden": ("GET", "/api/work/%2e%2e%2fpasswd/package", {}, 404),
    "a package that is not there": ("GET", "/api/work/0123456789abcdef/package", {}, 404),
    "work that is not there": ("POST", "/api/work/0123456789abcdef/cancel", {}, 404),
    "another method": ("PUT", "/api/work", {}, 501),
    "a body that is too long": ("POST", "/api/work", {"Content-Length": str(LONGEST_BODY + 1)}, 413),
    "a body of no length": ("POST", "/api/work", {"Content-Length": "-5"}, 413),
    "a body in pieces": ("POST", "/api/work", {"Transfer-Encoding": "chunked"}, 413),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_nobody_else_gets_anything(server: ReportServer, case: str) -> None:
    method, path, changed, status = HOSTILE[case]
    path = path.replace("TOKEN", server.token)
    headers = own(server) | {name: text.replace("PORT", str(server.server_port)) for name, text in changed.items()}
    before = len(server.queue.told())
    response, content = answer(server, method, path, headers, b"{}" if method == "POST" else None)
    assert response.status == status
    assert server.token.encode() not in content
    assert len(server.queue.told()) == before
    assert "Access-Control-Allow-Origin" not in response.headers


def test_two_hosts_in_one_request_are_none(server: ReportServer) -> None:
    with socket.create_connection((ADDRESS, server.server_port), timeout=30) as line:
        own_host = f"{ADDRESS}:{server.server_port}"
        line.sendall(f"GET /?token={server.token} HTTP/1.1\r\nHost: {own_host}\r\nHost: evil\r\n\r\n".encode())
        assert line.recv(64).startswith(b"HTTP/1.1 421")


WRONG = {
    "no kind": ({}, "kind: must be core or requirement, not None"),
    "another kind": ({"kind": "shell"}, "kind: must be core or requirement, not 'shell'"),
    "a field too many": ({"kind": "core", "command": "ls"}, "field: must be one of kind, point, library, optimise"),
    "no such point": ({"kind": "core", "point": "ffffffffffffffff", "library": "generic45"}, "there is no point"),
    "a point of any letters": ({"kind": "core", "point": ".*.*.*.*.*"}, "point: must be the id of a point"),
    "a file as a library": ({"kind": "core", "point": "POINT", "library": "/etc/passwd"}, "library: must be one of"),
    "no such optimisation": (
        {"kind": "core", "point": "POINT", "library": "generic45", "optimise": "x; rm"},
        "optimise: must be one of",
    ),
    "a limit without unit": (
        {"kind": "requirement", "library": "generic45", "requirement": {"min_throughput": "10"}},
        "min-throughput: must be a number with a unit",
    ),
    "a limit of another kind": (
        {"kind": "requirement", "library": "generic45", "requirement": {"max_area": 7}},
        "max_area: must be a text",
    ),
    "a key of words": (
        {"kind": "requirement", "library": "generic45", "requirement": {"key": "128"}},
        "key: must be a list of sizes",
    ),
    "an unknown limit": (
        {"kind": "requirement", "library": "generic45", "requirement": {"store": "x"}},
        "field: must be one of mode",
    ),
    "no requirement": ({"kind": "requirement", "library": "generic45"}, "requirement: must be fields"),
    "no time": (
        {"kind": "requirement", "library": "generic45", "requirement": {}, "minutes": 0},
        "minutes: must be above 0",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_in_words(server: ReportServer, case: str) -> None:
    values, words = WRONG[case]
    given = {name: known_point(server) if text == "POINT" else text for name, text in values.items()}
    status, said = asked(server, given)
    assert status == 400
    assert words in said["error"]
    assert server.queue.told() == []


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"[" * 20000, b"\xff\xfe"])
def test_what_is_no_json_is_refused(server: ReportServer, body: bytes) -> None:
    response, content = answer(server, "POST", "/api/work", own(server), body)
    assert response.status == 400
    assert json.loads(content)["error"]


def test_work_is_told_of_and_its_package_fetched(server: ReportServer) -> None:
    with WorkQueue() as queue:
        ordinary, server.queue = server.queue, queue
        told = queue.add("a core", lambda _: WorkResult({"kind": "core"}, "a.zip", b"PK"))
        while queue.told()[0]["state"] != "done":
            pass
        response, content = answer(server, "GET", "/api/work", own(server))
        [work] = json.loads(content)
        assert (work["id"], work["state"], work["file"]) == (told["id"], "done", "a.zip")
        response, content = answer(server, "GET", f"/api/work/{work['id']}/package", own(server))
        assert (response.status, content) == (200, b"PK")
        assert response.headers["Content-Disposition"] == 'attachment; filename="a.zip"'
        response, _ = answer(server, "GET", f"/api/work/{work['id']}/package", {})
        assert response.status == 403
        server.queue = ordinary


def test_a_port_that_is_taken_is_said(server: ReportServer) -> None:
    with pytest.raises(RequestError, match=rf"port: {server.server_port} cannot be had .*choose another, or 0"):
        ReportServer(server.tasks, server.queue, title="", source=None, port=server.server_port)
    with pytest.raises(RequestError, match="port: must be 0 to 65535, not 70000"):
        ReportServer(server.tasks, server.queue, title="", source=None, port=70000)


def test_without_a_desktop_no_browser_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert not open_browser("http://127.0.0.1:1/")


def test_without_points_of_ones_own_the_presets_are_shown(tmp_path: Path) -> None:
    shown = points_to_show(None, str(tmp_path / "s.sqlite"))
    assert shown.source == "presets"
    assert points_to_show("families", None).source == "families"
