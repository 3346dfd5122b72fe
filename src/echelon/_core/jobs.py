"""Many small jobs, on whatever joblib runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from echelon._core.progress import track


class Jobs:
    """Runs a function over many arguments.

    Parameters
    ----------
    n_jobs : int or None
        Jobs at a time, as in joblib; its active backend (processes, threads, Dask, Ray) runs them.
    verbose : int
        Show a progress bar per stage.
    """

    def __init__(self, n_jobs: int | None, verbose: int = 0):
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __call__(
        self, description: str, function: Callable[..., Any], arguments: Iterable[tuple]
    ) -> list[Any]:
        """Results in the order of the arguments."""
        arguments = list(arguments)
        calls = (delayed(_with_one_thread)(function, *args) for args in arguments)
        streams = getattr(get_active_backend()[0], "supports_return_generator", False)
        parallel = Parallel(self.n_jobs, return_as="generator" if streams else "list")
        results = parallel(calls)
        return list(
            track(results, total=len(arguments), description=description, verbose=self.verbose)
        )


@cache
def _libraries() -> ThreadpoolController:
    """The linear algebra libraries of this process; finding them takes a while."""
    return ThreadpoolController()


def _with_one_thread(function: Callable[..., Any], *args: Any) -> Any:
    # The matrices are small: several threads within one product make it slower.
    with _libraries().limit(limits=1, user_api="blas"):
        return function(*args)
