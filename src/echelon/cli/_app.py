"""The commands of ``echelon``: options and help here, the work elsewhere, imported when needed."""

from __future__ import annotations

from typing import Annotated

import typer

from echelon.cli._options import Common, Judging, complete_methods, names, with_options

app = typer.Typer(
    name="echelon",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Feature selection when order matters: which columns of a file go with an outcome, how "
    "many to keep, and how far to trust it.",
    epilog="First look: [bold]echelon profile data.csv --target grade[/]. "
    "Try it without a file: [bold]echelon demo[/].",
)

Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="No progress.")]
Debug = Annotated[bool, typer.Option("--debug", metavar="", help="Show where an error comes from.")]


def _version(asked: bool) -> None:
    if asked:
        from echelon import __version__

        print(f"echelon {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    pass


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "echelon rank credit.csv --target grade --class-order E,D,C,B,A\n\n"
    "echelon rank credit.csv -t grade -n 5 --drop id -o ranking.csv --report report.html\n\n"
    "zcat big.csv.gz | echelon rank - -t stage --method orelieff --json"
)
@with_options
def rank(
    common: Common,
    judging: Judging,
    method: Annotated[
        str,
        typer.Option("--method", "-m", metavar="NAME|auto", autocompletion=complete_methods,
                     help="As listed by 'echelon methods'; auto: the one that fits the data."),
    ] = "auto",
) -> None:  # fmt: skip
    """Rank the columns of a file, and say how many to keep."""
    from echelon.cli._commands import study

    study(common, judging, [method])


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "echelon compare credit.csv -t grade --class-order E,D,C,B,A\n\n"
    "echelon compare wine.parquet -t cultivar -m relieff,ftest,rfe --report wine.html"
)
@with_options
def compare(
    common: Common,
    judging: Judging,
    methods: Annotated[
        str | None,
        typer.Option("--methods", "-m", metavar="A,B,...", autocompletion=complete_methods,
                     show_default=False,
                     help="Two or more, as listed by 'echelon methods'; five that fit the target."),
    ] = None,
) -> None:  # fmt: skip
    """Compare methods: curves over the same folds, agreement, and one answer."""
    from echelon.cli._commands import compare

    compare(common, judging, names(methods))


@app.command(epilog="[bold]Example[/]\n\nechelon profile credit.csv --target grade --unordered")
@with_options
def profile(common: Common) -> None:
    """Say what the data are, what to beware of, and which method fits."""
    from echelon.cli._commands import profile

    profile(common)


@app.command(
    epilog="[bold]Example[/]\n\nechelon bounds houses.csv --target price --plot bounds.png"
)
@with_options
def bounds(common: Common) -> None:
    """Which features no good linear model does without, and which stand in for each other."""
    from echelon.cli._commands import bounds

    bounds(common)


@app.command()
def methods(
    json: Annotated[
        bool, typer.Option("--json", metavar="", help="Print JSON instead of a table.")
    ] = False,
) -> None:
    """List the methods: for which data, at which cost, from which paper."""
    from echelon.cli._terminal import show_methods

    show_methods(json)


@app.command(
    "warm-up",
    epilog="[bold]Examples[/]\n\nechelon warm-up\n\n"
    "NUMBA_CACHE_DIR=/opt/echelon echelon warm-up orelieff relieff",
)
def warm_up(
    methods: Annotated[
        list[str] | None,
        typer.Argument(metavar="[METHOD]...", autocompletion=complete_methods,
                       help="As listed by 'echelon methods'; all of them by default."),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Compile the loops of methods and keep them on disk, say when an image is built."""
    from echelon.cli._commands import warm_up

    warm_up(methods or [], quiet)


@app.command(epilog="[bold]Example[/]\n\nechelon demo --folder try-it")
def demo(
    folder: Annotated[
        str, typer.Option("--folder", metavar="FOLDER", help="Where to write data and report.")
    ] = "echelon-demo",
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Rank the features of data that come along, and write a report."""
    from echelon.cli._commands import demo

    demo(folder, quiet)
