"""What the page can ask for; all of it within the session that ``_guard`` let through."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from threading import Event
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from echelon import __version__
from echelon.cli._bundled import BUNDLED
from echelon.cli._options import Common, Judging
from echelon.cli._rank import ESTIMATORS
from echelon.cli._terminal import InputError
from echelon.cli.app._asked import TAKEN
from echelon.cli.app._files import File, Files
from echelon.cli.app._guard import REPORT_POLICY
from echelon.cli.app._jobs import Job, Jobs
from echelon.methods import METHODS, PEERS

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}

STATIC = {
    path.name: (path.read_bytes(), KINDS[path.suffix])
    for path in Path(__file__).with_name("static").iterdir()
}
"""All that can be loaded, read once: a name in an address never becomes a path."""

MOST_ASKED = 5_000_000
"""Bytes of what is asked for in JSON."""


class Routes:
    """Answers, made of files and jobs.

    Parameters
    ----------
    files : Files
        Files of the session.
    jobs : Jobs
        Jobs of the session.
    stop : Event
        Set when the page ends the server.
    """

    def __init__(self, files: Files, jobs: Jobs, stop: Event):
        self._files = files
        self._jobs = jobs
        self._stop = stop

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/", _page),
                Route("/static/{name}", _static),
                Route("/state", self.state),
                Route("/choices", _choices),
                Route("/files", self.announce, methods=["POST"]),
                Route("/files/{id}", self.receive, methods=["PUT"]),
                Route("/files/{id}", self.remove, methods=["DELETE"]),
                Route("/jobs", self.start, methods=["POST"]),
                Route("/jobs/{id}", self.result),
                Route("/jobs/{id}", self.end, methods=["DELETE"]),
                Route("/jobs/{id}/report", self.report),
                Route("/jobs/{id}/files/{what}", self.download),
                Route("/stop", self.stop, methods=["POST"]),
            ],
            exception_handlers={
                InputError: _wrong_input,
                HTTPException: _not_found,
                ClientDisconnect: _gone,
            },
        )

    def state(self, _: Request) -> Response:
        """What there is, for every tab."""
        files = [file.as_dict() for file in self._files.all()]
        return JSONResponse({"files": files, "jobs": [job.as_dict() for job in self._jobs.all()]})

    async def announce(self, request: Request) -> Response:
        """A file that will be sent, or one that is bundled."""
        asked = await _json(request)
        if "bundled" in asked:
            file = await run_in_threadpool(self._files.bundled, _text(asked, "bundled"))
        else:
            size = asked.get("size")
            if not isinstance(size, int):
                raise InputError("A file must come with its size.")
            file = self._files.announce(_text(asked, "name"), size)
        return JSONResponse(file.as_dict(), 201)

    async def receive(self, request: Request) -> Response:
        """The content of a file that was announced."""
        file = self._file(request.path_params["id"])
        if file.whole:
            raise InputError(f"{file.name} is here already.")
        await self._files.receive(file, request.stream())
        return JSONResponse(file.as_dict())

    def remove(self, request: Request) -> Response:
        """Forget a file."""
        self._files.remove(self._file(request.path_params["id"]).id)
        return Response(status_code=204)

    async def start(self, request: Request) -> Response:
        """Begin a job."""
        asked = await _json(request)
        kind, options = _text(asked, "kind"), asked.get("options", {})
        if kind not in TAKEN or not isinstance(options, dict):
            raise InputError("This is no job for the page.")
        file = self._file(_text(asked, "file"))
        if not file.whole:
            raise InputError(f"{file.name} has not arrived yet.")
        job = await run_in_threadpool(self._jobs.start, kind, file, options)
        return JSONResponse(job.as_dict(), 201)

    def result(self, request: Request) -> Response:
        """How far a job is, and what it found."""
        job = self._job(request)
        return JSONResponse({**job.as_dict(), "result": job.result})

    def end(self, request: Request) -> Response:
        """Cancel a job, or forget it."""
        self._jobs.end(self._job(request))
        return Response(status_code=204)

    def report(self, request: Request) -> Response:
        """The report of a run, to be shown within the page."""
        path = self._output(request, "report")
        policy = {"Content-Security-Policy": REPORT_POLICY}
        return FileResponse(path, media_type="text/html", headers=policy)

    def download(self, request: Request) -> Response:
        """A file that a run has written."""
        path = self._output(request, request.path_params["what"])
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    def stop(self, _: Request) -> Response:
        """End the server."""
        self._stop.set()
        return Response(status_code=204)

    def _file(self, name: str) -> File:
        file = self._files.get(name)
        if file is None:
            raise HTTPException(404, "The file is not here any more. Drop it again.")
        return file

    def _job(self, request: Request) -> Job:
        job = self._jobs.get(request.path_params["id"])
        if job is None:
            raise HTTPException(404, "There is no such run.")
        return job

    def _output(self, request: Request, what: str) -> Path:
        job = self._job(request)
        path = job.output(what)
        if path is None:
            raise HTTPException(404, "The run has not written this.")
        return path


def _page(_: Request) -> Response:
    return _sent("index.html")


def _static(request: Request) -> Response:
    return _sent(request.path_params["name"])


def _sent(name: str) -> Response:
    if name not in STATIC:
        raise HTTPException(404, "There is no such page.")
    content, kind = STATIC[name]
    return Response(content, media_type=kind)


def _choices(_: Request) -> Response:
    """What can be chosen, as the command has it."""
    known = {**METHODS, **PEERS}
    defaults = {each.name: each.default for group in (Common, Judging) for each in fields(group)}
    return JSONResponse(
        {
            "version": __version__,
            "bundled": {name: each.text for name, each in BUNDLED.items()},
            "methods": {name: method.data for name, method in known.items()},
            "estimators": ESTIMATORS,
            "defaults": {
                name: defaults[name] for name in ("n_features", "estimator", "cv", "seed")
            },
        }
    )


async def _json(request: Request) -> dict[str, Any]:
    """What was sent, if it is a JSON object of a sensible size."""
    if request.headers.get("content-type") != "application/json":
        raise HTTPException(415, "What is asked for must be JSON.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_ASKED:
            raise HTTPException(413, "This is too long for options.")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise HTTPException(400, "What is asked for must be a JSON object.")
    return asked


def _text(asked: dict[str, Any], key: str) -> str:
    found = asked.get(key)
    if not isinstance(found, str):
        raise InputError(f"{key!r} must be a text.")
    return found


def _wrong_input(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


def _not_found(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)
