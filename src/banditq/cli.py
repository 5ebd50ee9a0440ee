"""The command line."""

import json
import math
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from .arena.command import arena
from .checks import MOST_ROUNDS, finite_vector, whole, within
from .errors import InvalidInput
from .exits import FAILED, STOPPED, UNKNOWN, print_the_rest, refusals
from .options import AsJson, Means, Targets, numbers

app = typer.Typer(
    name="banditq",
    help="Bandits that guarantee rewards: promise arms a reward per round, earn the most with the rest.",
    epilog="Exit codes: 0 done; 1 a negative answer or a run that failed; 2 bad input; "
    "3 cannot be told; 130 stopped by Ctrl-C.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(version("banditq"))
        raise typer.Exit


@app.callback()
def _banditq(
    told: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def simulate(
    means: Means = None,
    targets: Targets = None,
    instance: Annotated[
        str | None, typer.Option(help="A named problem instead of means and targets, such as paper-5.")
    ] = None,
    rounds: Annotated[str, typer.Option(help="Rounds of each run; 2e6 works.")] = "100000",
    runs: Annotated[int, typer.Option(help="Independent runs, spread over the cores.")] = 20,
    seed: Annotated[int, typer.Option(help="Same seed, same rewards, same choices.")] = 0,
    policy: Annotated[
        str,
        typer.Option(
            help="As in Python: banditq, 'BanditQ(v=500)', "
            "'BanditQ(learner=TsallisInf(), horizon=None)', ucb1, tsallis-inf."
        ),
    ] = "banditq",
    rewards: Annotated[
        str | None,
        typer.Option(
            help="Reward model, as in Python: bernoulli (the default), 'Beta(20)', uniform, "
            "'Table(\"log.csv\")'.",
            show_default=False,
        ),
    ] = None,
    reward_max: Annotated[
        float | None,
        typer.Option(help="Largest reward; 1 unless the model says otherwise.", show_default=False),
    ] = None,
    allow_infeasible: Annotated[
        bool, typer.Option("--allow-infeasible", help="Simulate targets that nobody can meet.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(help="Threads; all cores by default.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the result (.npz), its summary (.json) and three plots (.png, .svg). "
            "One that holds another result is refused."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a policy on a problem and report regret, shortfall and what every protected arm got.

    Example: banditq simulate --means .335,.203,.781 --targets .167,.067,0 --rounds 2e6
    """
    with refusals():
        import banditq as bq

        problem = _problem(means, targets, instance, rewards, reward_max)
        chosen: Any = bq.Config.parse(policy, (bq.Policy, bq.Learner))
        length = whole("rounds", rounds, low=1, high=MOST_ROUNDS)
        folder = None
        if out is not None:
            from .folder import ResultFolder
            from .simulate import as_policy

            folder = ResultFolder(out, as_policy(chosen), problem, length, runs, seed)
        run = bq.simulate(
            chosen,
            problem,
            length,
            runs=runs,
            seed=seed,
            allow_infeasible=allow_infeasible,
            jobs=jobs,
        )
        report = {"summary": run.summary().to_dict(), "info": run.info}
        if as_json:
            print(json.dumps(report, indent=2))
        else:
            print(f"{chosen}: {run.summary()}\n")
            speed = run.info["rounds per second"] / 1e6
            print(f"  {run.info['seconds']:g} s, {speed:.3g} M rounds/s, seed {seed}")
        if folder is not None:
            folder.write(run, report)
            if not as_json:
                print(f"  written to {out}")
        if run.info["interrupted"]:
            raise typer.Exit(STOPPED)


def _problem(
    means: str | None,
    targets: str | None,
    instance: str | None,
    rewards: str | None,
    reward_max: float | None,
) -> Any:
    import banditq as bq

    if instance is not None:
        given = {"means": means, "targets": targets, "rewards": rewards, "reward-max": reward_max}
        extra = [f"--{name}" for name, value in given.items() if value is not None]
        if extra:
            raise InvalidInput(f"--instance brings its own; leave those out: {', '.join(extra)}")
        return bq.instance(instance).problem
    if targets is None:
        raise InvalidInput("targets are missing: give --means and --targets, or --instance paper-5")
    model = bq.RewardModel.parse(rewards or "bernoulli")
    known = None if means is None else numbers("means", means)
    ceiling = model.default_max() if reward_max is None else reward_max
    return bq.Problem(known, numbers("targets", targets), model, ceiling)


@app.command()
def feasible(
    means: Means = None,
    targets: Targets = None,
    error: Annotated[
        float, typer.Option(help="Each mean is known to within this; 0 if they are exact.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Say whether promised rewards can be kept: exit code 0 if yes, 1 if no, 3 if it cannot be told.

    Example: banditq feasible --means .335,.203,.781 --targets .167,.067,0 --error .02
    """
    with refusals():
        import banditq as bq

        if means is None or targets is None:
            raise InvalidInput("both are needed: --means .335,.203,.781 --targets .167,.067,0")
        promised = finite_vector("targets", numbers("targets", targets))
        known = finite_vector("means", numbers("means", means), promised.size)
        answer = bq.feasibility(promised, within("means", known, 0.0, math.inf), error)
        print(json.dumps(answer.to_dict(), indent=2) if as_json else answer.sentence)
    raise typer.Exit({"feasible": 0, "infeasible": FAILED}.get(answer.verdict, UNKNOWN))


@app.command()
def paper(
    only: Annotated[
        str | None,
        typer.Option(
            help="Some of it, such as fig4,claim-lfg; --list names everything.", show_default=False
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="All of it at reduced size, in less than a minute.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the report, where what was played is found again; report, or report-quick.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Threads; all cores by default.", show_default=False)
    ] = None,
    names: Annotated[bool, typer.Option("--list", help="Print the ids and stop.")] = False,
) -> None:
    """Reproduce the paper: every figure, claim and misprint, on one page with its data beside it.

    Takes some minutes, and goes on where it was stopped. Example: banditq paper --quick
    """
    with refusals():
        from .paper.entries import entries
        from .paper.report import make_report
        from .paper.settings import FULL, QUICK

        if names:
            print("\n".join(f"{name:<28}{entry.heading}" for name, entry in entries().items()))
            raise typer.Exit
        folder = out or Path("report-quick" if quick else "report")
        threads = None if jobs is None else whole("jobs", jobs, low=1)
        try:
            verdicts = make_report(folder, QUICK if quick else FULL, only, threads)
        except KeyboardInterrupt:
            print(
                f"banditq: stopped; what was played is kept in {folder / 'cache'}, and the same command "
                "goes on from there",
                file=sys.stderr,
            )
            raise typer.Exit(STOPPED) from None
        for name, verdict in verdicts.items():
            print(f"{name:<28}{verdict}")
        print(f"written to {folder / 'index.html'}")


@app.command()
def bench(
    only: Annotated[
        str | None,
        typer.Option(help="Some of it, such as logbarrier,ucb1,live; --list names everything."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="The paper's own choices at a few sizes, in less than a minute.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="File for the figures (.json).")] = None,
    docs: Annotated[
        Path | None,
        typer.Option(help="Folder for a page and a plot drawn from --out: speed.md, .svg, .png."),
    ] = None,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Measure nothing; draw --docs from the figures in --out.")
    ] = False,
    author: Annotated[
        Path | None, typer.Option(help="A copy of the author's MATLAB code, to be timed in GNU Octave.")
    ] = None,
    as_json: AsJson = False,
    names: Annotated[bool, typer.Option("--list", help="Print what --only can name and stop.")] = False,
) -> None:
    """Time a round of every learner and policy over N = 2 … 10^6, live calls, start-up, whole experiments.

    A round is one choice, one reward and what is learnt from it, on one core. Its cost is told beside a
    plain loop of the same algorithm, compiled by the same compiler and timed in turns with it. Takes about
    five minutes, and one or two more if nothing is compiled yet. Example: banditq bench --quick
    """
    with refusals():
        from .bench import command

        if names:
            print(command.names())
            raise typer.Exit
        if not command.run_bench(command.Wishes(quick, only, out, docs, redraw, author, as_json)):
            raise typer.Exit(STOPPED)


app.command()(arena)


def main() -> None:
    """Entry point."""
    try:
        app()
    finally:
        print_the_rest()
