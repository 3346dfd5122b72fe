"""The page of ``echelon app``: a server, and visitors who may or may not come in."""

import http.client
import json
import time
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="needs the extra app of pyproject")
from echelon.cli.app._serve import served

ORDERED = {"target": "grade", "class_order": ["low", "medium", "high"]}
QUICK = {**ORDERED, "method": "rankcorrelation", "cv": 3, "estimator": "bayes"}


class Answer:
    """What the server said."""

    def __init__(self, answer):
        self.status, self.body = answer.status, answer.read()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Visitor:
    """Asks as a browser does, or as none would."""

    def __init__(self, address):
        self.address = address
        parts = urlsplit(address)
        self.port, self.folder, self.token = parts.port, parts.path, parts.query
        self.origin = f"http://127.0.0.1:{self.port}"
        self.cookie = None

    def ask(self, method, path, body=None, *, absolute=False, **headers):
        """An answer; a header of None is left out."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Cookie": self.cookie, "Origin": None if method == "GET" else self.origin}
        if isinstance(body, dict):
            body, given["Content-Type"] = json.dumps(body), "application/json"
        given |= headers
        place = path if absolute else self.folder + path
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, place, skip_host="Host" in given)
            for name, value in given.items():
                for each in value if isinstance(value, list) else [value]:
                    if each is not None:
                        connection.putheader(name, each)
            content = body.encode() if isinstance(body, str) else body
            if content is not None:
                connection.putheader("Content-Length", str(len(content)))
            connection.endheaders(content)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def enter(self):
        """Exchange the token for the session."""
        answer = self.ask("GET", f"?{self.token}")
        assert answer.status == 303
        self.cookie = answer.headers["set-cookie"].split(";")[0]
        return self

    def give(self, path, name=None):
        """A file for the page; its id."""
        content = Path(path).read_bytes()
        place = self.ask("POST", "files", {"name": name or Path(path).name, "size": len(content)})
        assert place.status == 201, place.body
        assert self.ask("PUT", f"files/{place.json['id']}", content).status == 200
        return place.json["id"]

    def begin(self, kind, file, **options):
        answer = self.ask("POST", "jobs", {"kind": kind, "file": file, "options": options})
        assert answer.status == 201, answer.body
        return answer.json["id"]

    def job(self, name):
        return self.ask("GET", f"jobs/{name}").json

    def over(self, name):
        """A job, once it is over."""
        return until(lambda: (job := self.job(name))["state"] not in ("waiting", "running") and job)


def until(condition, seconds=120):
    """What a condition gives, as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def server():
    """A server in this process; gives its address."""
    return served(0, Event())


def processes(text):
    """Processes whose command line or folder holds a text."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if line and (text in line or text in str((place / "cwd").readlink())):
                found.append(int(place.name))
        except OSError:  # it has ended
            continue
    return found
