"""The commands of ``echelon``: options and help here, the work elsewhere, imported when needed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from echelon.cli._options import (
    Common,
    Judging,
    Using,
    complete_methods,
    names,
    with_options,
)

app = typer.Typer(
    name="echelon",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Feature selection when order matters: which columns of a file are related to an "
    "outcome, how many to select, and how reliable the selection is.",
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
    "echelon rank survey.sav --targets 'q*' -o ranking.csv --report report.html\n\n"
    "echelon rank credit.csv -t grade -n 5 --drop id -o ranking.csv --report report.html\n\n"
    "zcat big.csv.gz | echelon rank - -t stage --method orelieff --json"
)
@with_options
def rank(
    common: Common,
    judging: Judging,
    using: Using,
    method: Annotated[
        str,
        typer.Option("--method", "-m", metavar="NAME|auto", autocompletion=complete_methods,
                     help="As listed by 'echelon methods'; auto: the one that fits the data."),
    ] = "auto",
    targets_as_features: Annotated[
        bool,
        typer.Option("--targets-as-features", metavar="",
                     help="With several targets: the others are features of each."),
    ] = False,
) -> None:  # fmt: skip
    """Rank the columns of a file, and say how many to select."""
    if any(mark in common.target for mark in ',*?["'):  # several columns, perhaps
        from echelon.cli._targets import rank_targets

        rank_targets(common, judging, method, using, targets_as_features)
        return
    from echelon.cli._rank import study

    study(common, judging, [method], using)


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "echelon compare credit.csv -t grade --class-order E,D,C,B,A\n\n"
    "echelon compare wine.parquet -t cultivar -m relieff,ftest,rfe --report wine.html"
)
@with_options
def compare(
    common: Common,
    judging: Judging,
    using: Using,
    methods: Annotated[
        str | None,
        typer.Option("--methods", "-m", metavar="A,B,...", autocompletion=complete_methods,
                     show_default=False,
                     help="Two or more, as listed by 'echelon methods'; five that fit the target."),
    ] = None,
) -> None:  # fmt: skip
    """Compare methods: curves over the same folds, agreement, and one answer."""
    from echelon.cli._rank import compare

    compare(common, judging, names(methods), using)


@app.command(
    epilog="[bold]Examples[/]\n\n"
    "echelon rank credit.csv -t grade --class-order E,D,C,B,A --save selection.json\n\n"
    "echelon select selection.json new.csv -o reduced.csv --keep id"
)
def select(
    selection: Annotated[
        str,
        typer.Argument(metavar="SELECTION", show_default=False,
                       help="What 'echelon rank --save' wrote."),
    ],
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", show_default=False,
                       help="A later file of the same kind; - for CSV on standard input."),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", show_default=False,
                     help="Write the selected columns as .csv, .tsv, .parquet or .xlsx; - for CSV "
                     "on standard output."),
    ],
    with_target: Annotated[
        bool, typer.Option("--with-target", metavar="", help="Write the target, too.")
    ] = False,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="A,B", help="Further columns, as an id.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option("--sheet", metavar="NAME", help="Sheet or table to read.")
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHAR", help="If it is not that of the first file."),
    ] = None,
    decimal: Annotated[
        str | None,
        typer.Option("--decimal", metavar=", or .", help="If it is not that of the first file."),
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option("--max-memory", metavar="SIZE",
                     help="That data may take, as 8GB; half of what is free."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", metavar="", help="Write texts as they are, formulas too.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", metavar="", help="Overwrite a file that exists.")
    ] = False,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Write the selected columns of a later file, read as the first one was."""
    from echelon.cli._commands import select

    select(
        selection,
        data,
        output,
        with_target=with_target,
        keep=keep,
        sheet=sheet,
        delimiter=delimiter,
        decimal=decimal,
        max_memory=max_memory,
        raw=raw,
        force=force,
    )


@app.command(
    epilog="[bold]Examples[/]\n\nechelon profile credit.csv\n\n"
    "echelon profile credit.csv --target grade --unordered"
)
@partial(with_options, needs_target=False)
def profile(common: Common) -> None:
    """Describe the data, warn of problems, and name the method that fits.

    Without a target: which columns there are, as they were read.
    """
    from echelon.cli._profile import profile

    profile(common)


@app.command(
    epilog="[bold]Example[/]\n\nechelon bounds houses.csv --target price --plot bounds.png"
)
@with_options
def bounds(common: Common) -> None:
    """Which features every good linear model needs, and which could replace each other."""
    from echelon.cli._bounds import bounds

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
    """Compile the loops of methods and keep them on disk, for example while an image is built."""
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
    """Rank the features of bundled data, and write a report."""
    from echelon.cli._commands import demo

    demo(folder, quiet)


@app.command(
    "app",
    epilog="[bold]Examples[/]\n\nechelon app\n\nechelon app --port 8800 --no-browser",
)
def open_app(
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, show_default=False,
                     help="Port of this machine to listen on; one that is free."),
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", metavar="", help="Print the address only.")
    ] = False,
    debug: Debug = False,
) -> None:  # fmt: skip
    """Open a page in the browser: drop a file, choose the target, and read the report there.

    The page is served by this machine to this machine only.  It ends with Ctrl-C, and files given
    to it are deleted then.
    """
    from echelon.cli.app import serve

    serve(port, browser=not no_browser)
