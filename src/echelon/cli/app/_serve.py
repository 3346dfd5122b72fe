"""Opening the page, and its end: no process and no file is left."""

from __future__ import annotations

import shutil
import socket
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from echelon._core.extras import require
from echelon.cli._terminal import InputError

LOOK = 0.2
"""Seconds after which the main thread looks for an interrupt."""


def serve(port: int, *, browser: bool) -> None:
    """Serve the page until Ctrl-C, or until the page ends it.

    Parameters
    ----------
    port : int
        Where to listen; 0: a port that is free.
    browser : bool
        Whether to open the page.
    """
    require("The page needs", "app", "starlette", "uvicorn")
    stop = Event()
    with served(port, stop) as address:
        print(f"The page is open at {address}\nCtrl-C ends it.", flush=True)
        if browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        while not stop.wait(LOOK):
            pass
    print("The page has ended, and its files are deleted.", flush=True)


@contextmanager
def served(port: int, stop: Event) -> Iterator[str]:
    """The server, within; yields the address that opens the page, once."""
    import uvicorn

    from echelon.cli.app._files import Files
    from echelon.cli.app._guard import Guard
    from echelon.cli.app._jobs import Jobs
    from echelon.cli.app._routes import Routes

    with _listening(port) as listener:
        session = Path(tempfile.mkdtemp(prefix="echelon-app-"))  # for its owner only
        jobs = None
        try:
            jobs = Jobs(session)
            routes = Routes(Files(session / "files"), jobs, stop)
            guard = Guard(routes.app(), listener.getsockname()[1])
            settings = uvicorn.Config(
                guard, http="h11", ws="none", lifespan="off", loop="asyncio", log_config=None,
                access_log=False, server_header=False, proxy_headers=False,
                timeout_graceful_shutdown=1,
            )  # fmt: skip
            server = uvicorn.Server(settings)
            # Beside the main thread, which signals interrupt.
            thread = Thread(target=server.run, args=([listener],), daemon=True)
            thread.start()
            try:
                yield guard.address
            finally:
                server.should_exit = True
                thread.join(2)
        finally:
            try:
                if jobs is not None:
                    jobs.close()
            finally:
                shutil.rmtree(session, ignore_errors=True)


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """A socket that only this machine reaches."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(
                f"--port {port} cannot be used: {error.strerror}. Choose another, or leave it out."
            ) from error
        listener.listen(100)
        yield listener
