"""The command ``banditq arena``."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..checks import whole
from ..exits import FAILED, STOPPED, refusals
from ..options import AsJson, Targets, numbers


def arena(
    instances: Annotated[
        str | None,
        typer.Option(
            help="Names, families such as gap or degenerate, .toml files, or recorded tables (.csv, "
            ".parquet, .npy), with commas; paper-5,gap-0,gap-50,drift by default. --list names all.",
            show_default=False,
        ),
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            help="Entries or expressions such as 'banditq,ucb1,BanditQ(v=500)'; all by default.",
            show_default=False,
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="An experiment of the literature: baudry-1 or baudry-5.", show_default=False),
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option(
            help="Rounds of each run; by default what a file says, else 100000.", show_default=False
        ),
    ] = None,
    runs: Annotated[
        int | None, typer.Option(help="Runs of each policy; 50 by default.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same rewards, same choices.")] = 0,
    targets: Targets = None,
    out: Annotated[
        Path, typer.Option(help="Folder of page and data, where what was played is found again.")
    ] = Path("league"),
    markdown: Annotated[
        Path | None,
        typer.Option(
            help="Put the tables in this file, between <!-- arena: instance --> and <!-- /arena -->.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Threads; all cores by default.", show_default=False)
    ] = None,
    names: Annotated[bool, typer.Option("--list", help="Print instances and entries and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play policies against each other on the same rewards, and say which can be told apart.

    Takes a minute or two, goes on where it was stopped, and writes one page with its data beside it.
    Example: banditq arena --instances paper-5,mine.toml --policies banditq,banditq-tsallis
    A TOML file holds means = [0.3, 0.8] and targets = [0.1, 0], and may hold name, rounds, reward_max and
    rewards = "Beta(20)"; or table = "log.csv" instead of means.
    """
    with refusals():
        import banditq as bq

        from .match import line_up
        from .tables import check_places, fill, markdown_tables, print_tables

        if names:
            _list_arena()
            raise typer.Exit
        length = None if rounds is None else whole("rounds", rounds, low=1)
        promised = None if targets is None else numbers("targets", targets)
        if markdown is not None:
            played = line_up(instances, preset, length, promised)
            check_places(markdown, [contest.name for contest in played])
        try:
            found = bq.arena(
                instances,
                policies,
                preset=preset,
                rounds=length,
                runs=runs,
                seed=seed,
                targets=promised,
                out=out,
                jobs=jobs,
            )
        except KeyboardInterrupt:
            print(
                f"banditq: stopped; what was played is kept in {out / 'cache'}, and the same command "
                "goes on from there",
                file=sys.stderr,
            )
            raise typer.Exit(STOPPED) from None
        failed = [f"{name}: {why}" for league in found.values() for name, why in league.failed]
        if markdown is not None:
            fill(markdown, markdown_tables(out / "data"))
        if as_json:
            print(json.dumps(found.to_dict(), indent=2))
        else:
            print_tables(out / "data")
            print(f"written to {out / 'index.html'}")
        for line in failed:
            print(f"banditq: {line}", file=sys.stderr)
    if failed:
        raise typer.Exit(FAILED)


def _list_arena() -> None:
    import banditq as bq

    from .entries import enter

    contest = bq.instance("paper-5", 100_000)
    print("instances:", ", ".join(bq.INSTANCES))
    print("entries:")
    for entry in enter(*contest)[0]:
        aside = f"  ({entry.aside})" if entry.aside else ""
        print(f"  {entry.name:<28}{entry.policy.feedback:<8}{aside}")
