"""Who may ask for anything, and what pages may do: asked of every request, before anything else.

The server listens to this machine only, but every page in its browser, and every user of it, can
reach it there.  So a request must name this server as its host (else another name could be made to
point here), must not come from a page of another origin, and must bring the cookie of the session.
The cookie is given once, for the token in the address that ``echelon app`` opens.  Browsers send
cookies to all ports of a host: it is bound to a folder with a random name, which no other has.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "echelon"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing but what this server has, no script within the page, no markup made of text."""

REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
"""A report is a page of its own without an origin; its own policy allows its one script by hash."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

SAFE = ("GET", "HEAD")


class Guard:
    """Lets through what belongs to the session.

    Parameters
    ----------
    app : ASGI application
        What answers then.
    port : int
        Where the server listens.
    """

    def __init__(self, app: ASGIApp, port: int):
        self._app = app
        self._host = f"127.0.0.1:{port}"
        self._token: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self.folder = f"/{secrets.token_urlsafe(9)}"

    @property
    def address(self) -> str:
        """Where the page opens, once."""
        return f"http://{self._host}{self.folder}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        refused = self._refused(Request(scope))
        answer = refused or self._app
        if refused is None:
            scope = {**scope, "path": scope["path"].removeprefix(self.folder)}
            scope["raw_path"] = scope["path"].encode()
        await answer(scope, receive, _Guarded(send))

    def _refused(self, request: Request) -> Response | None:
        """Why a request is not answered; None if it is."""
        headers = request.headers
        if headers.getlist("host") != [self._host]:
            return _no(421, "This is not the address of the page.")
        origin = headers.get("origin")
        if origin != f"http://{self._host}" and (origin or request.method not in SAFE):
            return _no(403, "Pages of another origin may not ask for anything.")
        known, path, query = self._knows(headers), request["path"], request["query_string"]
        if request.method in SAFE and path == f"{self.folder}/" and query:
            return self._opened(query, known)
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _no(403, "Pages of another origin may not ask for anything.")
        if not known or not path.startswith(f"{self.folder}/"):
            return _no(403, "Open the address that 'echelon app' printed; it opens once.")
        return None

    def _knows(self, headers: Headers) -> bool:
        """Whether the request brings the cookie of the session."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return found is not None and _same(found.value, self._session)

    def _opened(self, query: bytes, known: bool) -> Response:
        """The session for the token, which is good once; whoever has it comes to the page."""
        given = parse_qs(query.decode("latin-1")).get("token", [""])[0]
        if self._token is None or not _same(given, self._token):
            if known:
                return RedirectResponse(f"{self.folder}/", 303)
            said = (
                "This address has been opened already. Go to the page that is open, or end "
                "'echelon app' and start it again."
            )
            return _no(403, said)
        self._token = None
        answer = RedirectResponse(f"{self.folder}/", 303)
        answer.set_cookie(
            COOKIE, self._session, path=f"{self.folder}/", httponly=True, samesite="strict"
        )
        return answer


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), known.encode())


def _no(status: int, said: str) -> Response:
    return PlainTextResponse(f"{said}\n", status)


class _Guarded:
    """Adds to every answer what browsers must not do with it."""

    def __init__(self, send: Send):
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            for name, value in HEADERS.items():
                headers[name] = value
        await self._send(message)
