"""The page is for whoever started it, and for nobody else: one test for every property."""

import json
import os
import re
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from app_cases import QUICK, Visitor, server
from cli_cases import grades
from echelon.cli import _rank, main
from echelon.cli._options import Judging, names
from echelon.cli.app import _files
from echelon.cli.app._asked import commands
from echelon.cli.app._files import safe_name
from echelon.cli.app._guard import PAGE_POLICY, REPORT_POLICY
from echelon.cli.app._routes import STATIC


@pytest.fixture(scope="module")
def address():
    with server() as address:
        yield address


@pytest.fixture(scope="module")
def inside(address):
    """Somebody who came in."""
    return Visitor(address).enter()


@pytest.fixture(scope="module")
def ran(inside, tmp_path_factory):
    """A run that is done."""
    path = tmp_path_factory.mktemp("data") / "credit.csv"
    grades().to_csv(path, index=False)
    job = inside.over(inside.begin("run", inside.give(path), **{**QUICK, "class_order": []}))
    assert (job["state"], job["error"]) == ("done", "")
    return job["id"]


@pytest.fixture
def fresh():
    """The address of a server that nobody has opened."""
    with server() as address:
        yield address


ROUTES = [
    ("GET", ""),
    ("GET", "static/main.js"),
    ("GET", "state"),
    ("GET", "choices"),
    ("GET", "jobs/x"),
    ("GET", "jobs/x/report"),
    ("GET", "jobs/x/files/report"),
    ("POST", "files"),
    ("PUT", "files/x"),
    ("DELETE", "files/x"),
    ("POST", "jobs"),
    ("DELETE", "jobs/x"),
    ("POST", "stop"),
]


# ---------------------------------------------------------------------- who may come in


def test_only_this_machine_reaches_it(address):
    """127.0.0.2 is this machine as well, but not where the server listens."""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", Visitor(address).port), timeout=5)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_nothing_without_the_cookie(address, method, path):
    answer = Visitor(address).ask(method, path, None if method == "GET" else {})
    assert answer.status == 403
    assert b"echelon app" in answer.body


@pytest.mark.parametrize("cookie", ["echelon=", "echelon=x", "other=x", "echelon=\u00e9", ";;=;"])
def test_nothing_with_a_wrong_cookie(address, cookie):
    guest = Visitor(address)
    guest.cookie = cookie.encode()
    assert guest.ask("GET", "state").status == 403


def test_the_session_is_not_that_of_another_server(inside, fresh):
    guest = Visitor(fresh)
    guest.cookie = inside.cookie
    assert guest.ask("GET", "state").status == 403
    assert guest.folder != inside.folder


def test_the_cookie_is_bound(fresh):
    """Scripts do not see it, other sites do not send it, other ports do not get it."""
    visitor = Visitor(fresh)
    given = visitor.ask("GET", f"?{visitor.token}").headers["set-cookie"]
    parts = {part.strip().lower() for part in given.split(";")[1:]}
    assert parts == {"httponly", "samesite=strict", f"path={visitor.folder}".lower()}
    assert len(visitor.folder) > 10


def test_the_token_is_good_once(fresh):
    Visitor(fresh).enter()
    guest = Visitor(fresh)
    answer = guest.ask("GET", f"?{guest.token}")
    assert answer.status == 403
    assert b"opened already" in answer.body
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", ["", "token=", "token=x", "token=%00", "token=%C3%A9", "x=y"])
def test_a_wrong_token_opens_nothing_and_spends_nothing(fresh, token):
    answer = Visitor(fresh).ask("GET", f"?{token}")
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    Visitor(fresh).enter()


def test_who_is_inside_may_open_the_address_again(inside):
    answer = inside.ask("GET", f"?{inside.token}")
    assert (answer.status, answer.headers["location"]) == (303, inside.folder)
    assert "set-cookie" not in answer.headers


def test_the_token_and_the_session_cannot_be_guessed(address, inside):
    assert len(inside.token.removeprefix("token=")) >= 43
    assert len(inside.cookie.removeprefix("echelon=")) >= 43
    assert inside.token.removeprefix("token=") not in inside.cookie


# ----------------------------------------------------------------- where requests come from


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost:{}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{}.evil",
        "[::1]:{}",
        "",
        ["127.0.0.1:{}", "evil.example"],
    ],
)
def test_another_host_is_refused(inside, host):
    """A name that was made to point to this machine is no way in."""
    named = [each.format(inside.port) for each in (host if isinstance(host, list) else [host])]
    assert inside.ask("GET", "state", Host=named).status in (400, 421)
    assert inside.ask("GET", "state", Host=f"127.0.0.1:{inside.port}").status == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://localhost:{}",
        "https://127.0.0.1:{}",
        "http://127.0.0.1:1",
        "http://127.0.0.1:{}.evil.example",
    ],
)
def test_another_origin_is_refused(inside, method, origin):
    body = None if method == "GET" else {"bundled": "wine"}
    answer = inside.ask(
        method, "state" if method == "GET" else "files", body, Origin=origin.format(inside.port)
    )
    assert answer.status == 403
    assert b"another origin" in answer.body


@pytest.mark.parametrize(("method", "path"), [each for each in ROUTES if each[0] != "GET"])
def test_what_changes_something_must_name_its_origin(inside, method, path):
    assert inside.ask(method, path, {}, Origin=None).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_comes_from_elsewhere_is_refused(inside, site):
    """As a picture, a script or a frame of another page, which names no origin."""
    assert inside.ask("GET", "state", Sec_Fetch_Site=site).status == 403
    assert inside.ask("GET", "state", Sec_Fetch_Site="same-origin").status == 200


def test_forms_of_other_pages_cannot_ask(inside):
    """They cannot send JSON."""
    answer = inside.ask("POST", "files", json.dumps({"bundled": "wine"}), Content_Type="text/plain")
    assert answer.status == 415


def test_no_answer_is_open_to_other_origins(inside):
    for path in ("", "state", "jobs/x"):
        headers = inside.ask("GET", path).headers
        assert not [name for name in headers if name.startswith("access-control")]
        assert headers["cross-origin-resource-policy"] == "same-origin"


# ------------------------------------------------------------------------- what pages may do


def test_the_policy_of_the_page(inside):
    for path in ("", "state", "static/main.js", "nosuch"):
        assert inside.ask("GET", path).headers["content-security-policy"] == PAGE_POLICY
    rules = dict(part.strip().split(" ", 1) for part in PAGE_POLICY.split(";"))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in PAGE_POLICY
    assert "http" not in PAGE_POLICY
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == "'self'"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-opener-policy", "same-origin"),
    ],
)
def test_headers_of_every_answer(address, inside, name, value):
    guest = Visitor(address)
    for answer in (inside.ask("GET", ""), inside.ask("GET", "nosuch"), guest.ask("GET", "")):
        assert answer.headers[name] == value


def test_the_server_does_not_name_itself(inside):
    assert "server" not in inside.ask("GET", "").headers


def test_nothing_is_loaded_from_elsewhere():
    for name, (content, _) in STATIC.items():
        assert not re.search(rb"(https?:)?//[a-z0-9]", content.replace(b"// ", b"")), name
        assert b"innerHTML" not in content
        assert b"eval(" not in content


def test_no_script_or_style_within_the_page(inside):
    page = inside.ask("GET", "").body.decode()
    assert re.findall(r"<script[^>]*>(.*?)</script>", page) == [""]
    assert "<style" not in page
    assert not re.search(r"\s(on\w+|style)=", page)


def test_a_report_has_no_origin(inside, ran):
    """Its own policy, in the file, lets one script run; here it gets no cookie and no storage."""
    answer = inside.ask("GET", f"jobs/{ran}/report")
    assert answer.status == 200
    assert answer.headers["content-security-policy"] == REPORT_POLICY
    assert REPORT_POLICY.startswith("sandbox allow-scripts;")
    assert "same-origin" not in REPORT_POLICY
    assert b"script-src 'sha256-" in answer.body
    saved = inside.ask("GET", f"jobs/{ran}/files/report")
    assert saved.headers["content-disposition"].startswith("attachment")
    assert saved.headers["content-type"] == "application/octet-stream"


# ------------------------------------------------------------------------------ files


CLIMBING = [
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "/etc/passwd",
    "..\\..\\etc\\passwd",
    "report/../../x",
    "report%00",
    ".",
    "..",
    "data.csv",
]


@pytest.mark.parametrize("path", CLIMBING)
def test_no_path_leads_out_of_downloads(inside, path, ran):
    for place in (f"jobs/{ran}/files/{path}", f"static/{path}", f"jobs/{path}/report", path):
        answer = inside.ask("GET", place)
        assert answer.status in (403, 404), place
        assert b"root:" not in answer.body


@pytest.mark.parametrize(
    "name",
    [
        "../../x.csv",
        "/etc/x.csv",
        "a/b.csv",
        "..",
        ".",
        "",
        "C:\\temp\\x.csv",
        "..\\x.csv",
        "-rf.csv",
        "--help",
        ".hidden",
        "x\x00y.csv",
        "a\nb.csv",
        "\u202egnp.csv",
        "\ud800.csv",
        "e" * 400 + ".csv",
        "\u00e9" * 300 + ".parquet",
        "<script>.csv",
        "'; ls.csv",
    ],
)
def test_names_stay_in_their_folder(inside, name, tmp_path):
    safe = safe_name(name)
    path = tmp_path / safe
    path.write_text("x")
    assert path.parent == tmp_path
    assert path.resolve().parent == tmp_path.resolve()
    assert safe[0] not in "-."
    assert len(safe.encode()) <= 220
    assert safe.isprintable()
    given = inside.ask("POST", "files", {"name": name, "size": 3}).json
    assert given["name"] == safe


def test_the_folder_is_private(fresh):
    found = Path(tempfile.gettempdir()).glob("echelon-app-*")
    folders = [path for path in found if path.stat().st_uid == os.getuid()]
    assert folders
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


@pytest.mark.parametrize("said", [10, 10_000])
def test_more_than_the_limit_is_refused_and_leaves_nothing(inside, said, monkeypatch):
    """Before it is sent, and where a page lies about the size."""
    monkeypatch.setattr(_files, "MOST_BYTES", 1000)
    place = inside.ask("POST", "files", {"name": "big.csv", "size": said})
    answer = place
    if said < 1000:
        answer = inside.ask("PUT", f"files/{place.json['id']}", b"a,b\n" + b"1,2\n" * 1000)
        assert inside.ask("DELETE", f"files/{place.json['id']}").status == 404
    assert answer.status == 400
    assert answer.error.startswith("big.csv is larger than 0 MB, the limit of this page.")
    assert "big.csv" not in [file["name"] for file in inside.ask("GET", "state").json["files"]]


def test_the_limit_is_100_mb(inside):
    answer = inside.ask("POST", "files", {"name": "big.csv", "size": 100_000_001})
    assert answer.error.startswith("big.csv is larger than 100 MB")
    assert inside.ask("POST", "files", {"name": "big.csv", "size": 100_000_000}).status == 201


# -------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    "option",
    [
        "scheduler",
        "report",
        "output",
        "save",
        "code",
        "config",
        "save_config",
        "plot",
        "data",
        "force",
        "debug",
        "jobs",
        "raw",
        "--report",
        "target=x --report",
    ],
)
def test_options_that_name_files_or_addresses_are_unknown(inside, option, credit):
    file = inside.give(credit)
    asked = {"kind": "run", "file": file, "options": {**QUICK, option: "/tmp/x.json"}}
    answer = inside.ask("POST", "jobs", asked)
    assert answer.status == 400
    assert answer.error == f"There is no option {option!r} in the page."


@pytest.mark.parametrize("value", ["--report=/tmp/x.html", "-o/tmp/x.csv", "x --json", "--", "-"])
def test_a_value_is_never_another_option(value, monkeypatch):
    """The command gets what was chosen, and nothing else."""
    asked = {"target": value, "drop": [value], "groups": value, "class_order": [value, "a,b"]}
    got = []
    monkeypatch.setattr(_rank, "study", lambda *given: got.append(given))
    rank, _ = commands("run", "data.csv", asked)
    assert main(rank) == 0
    common, judging, methods, using = got[0]
    assert (common.data, common.target, common.groups) == ("data.csv", value, value)
    assert (names(common.drop), names(common.class_order)) == ([value], [value, "a,b"])
    assert (common.report, common.output) == ("data-report.html", "data-ranking.csv")
    assert (judging, methods) == (Judging(), ["auto"])
    assert (using.save, using.code, using.config) == (
        "data-selection.json",
        "data-pipeline.py",
        None,
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "run"},
        {"kind": "rm", "file": "x"},
        {"kind": "run", "file": ["x"]},
        {"kind": "run", "file": "x", "options": []},
        {"kind": "columns", "file": "../../etc/passwd"},
    ],
)
def test_odd_requests_are_refused_in_one_sentence(inside, body):
    answer = inside.ask("POST", "jobs", body)
    assert answer.status in (400, 404)
    assert answer.error.count("\n") == 0


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], [{"columns": "a"}], [["a"]], 1.5])
def test_odd_values_are_refused(inside, value, credit):
    asked = {"kind": "run", "file": inside.give(credit), "options": {**QUICK, "drop": value}}
    answer = inside.ask("POST", "jobs", asked)
    assert (answer.status, answer.error) == (400, "--drop got something that is no option.")


@pytest.mark.parametrize("body", ["", "[]", "null", "{", "[" * 100_000])
def test_what_is_no_json_object_is_refused(inside, body):
    answer = inside.ask("POST", "jobs", body, Content_Type="application/json")
    assert answer.status == 400
    assert "JSON" in answer.error
