"""``echelon app`` as a process: how it begins and ends; no process and no file is left."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from app_cases import Visitor, processes, server, until
from cli_cases import COMMAND, call, interrupts

LONG = {"target": "y", "unordered": True, "method": "neighborhoodsoftmargin"}


@contextmanager
def started(folder):
    """The command with a folder of its own for temporary files; and whoever came in."""
    with interrupts():
        job = subprocess.Popen(
            [COMMAND, "app", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(folder)},
        )
    try:
        address = re.search(r"http://\S+", job.stdout.readline())[0]
        yield job, Visitor(address).enter()
    finally:
        job.kill()
        job.communicate()


def nothing_left(folder):
    """Whether no process of the session is left, and no file."""
    return not processes(str(folder)) and not list(folder.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
)
def test_it_ends_in_the_middle_of_a_run(number, code, tmp_path, long_table):
    """Also where nobody could tell its processes."""
    with started(tmp_path) as (job, inside):
        run = inside.begin("run", inside.give(long_table), **LONG)
        until(lambda: inside.job(run)["doing"].startswith("Ranking"))
        assert len(processes(str(tmp_path))) >= 1
        job.send_signal(number)
        assert job.wait(15) == code
        until(lambda: nothing_left(tmp_path), 15)
        assert "Traceback" not in job.communicate()[1]


def test_the_page_can_end_it(tmp_path):
    with started(tmp_path) as (job, inside):
        assert inside.ask("POST", "stop", {}).status == 204
        out, err = job.communicate(timeout=30)
        assert (job.returncode, err) == (0, "")
        assert "files are deleted" in out
        until(lambda: nothing_left(tmp_path), 15)


def test_a_port_in_use_is_named(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = call(capsys, "app", "--no-browser", "--port", port)
    done.check_refused(f"--port {port} cannot be used", "Choose another")


def test_ports_are_random_and_servers_apart():
    with server() as first, server() as second:
        assert Visitor(first).port != Visitor(second).port
        assert Visitor(first).folder != Visitor(second).folder


def test_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = call(capsys, "app", "--no-browser")
    done.check_refused('The page needs starlette and uvicorn: pip install "echelon[app]"')


def test_help(capsys):
    done = call(capsys, "app", "--help")
    assert done.code == 0
    for text in ("--port", "--no-browser", "this machine only", "echelon app --port 8800"):
        assert text in " ".join(done.out.split())


def test_an_upload_that_breaks_off_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with server() as address:
        inside = Visitor(address).enter()
        place = inside.ask("POST", "files", {"name": "x.csv", "size": 1000}).json["id"]
        [session] = tmp_path.iterdir()
        with socket.create_connection(("127.0.0.1", inside.port)) as line:
            head = (
                f"PUT {inside.folder}files/{place} HTTP/1.1\r\nHost: 127.0.0.1:{inside.port}\r\n"
                f"Origin: {inside.origin}\r\nCookie: {inside.cookie}\r\n"
                "Content-Length: 1000\r\n\r\n"
            )
            line.sendall(head.encode() + b"a,b\n1,2\n")
            until(lambda: list(session.glob("files/*/part")))
        until(lambda: not list(session.glob("files/*")))
        assert inside.ask("GET", "state").json["files"] == []
    assert list(tmp_path.iterdir()) == []


def test_processes_that_wait_end_with_the_server(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with server() as address:
        until(lambda: processes(str(tmp_path)))
        inside = Visitor(address).enter()
        job = inside.over(
            inside.begin("columns", inside.ask("POST", "files", {"bundled": "wine"}).json["id"])
        )
        assert job["state"] == "done"
    assert nothing_left(tmp_path)
    with pytest.raises(ConnectionRefusedError):
        inside.ask("GET", "state")
