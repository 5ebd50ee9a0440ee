"""The command line."""

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from .arena.command import arena
from .checks import whole
from .errors import InterruptedRun, InvalidInput
from .exits import FAILED, STOPPED, UNKNOWN, refusals
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
        str,
        typer.Option(
            help="Reward model, as in Python: bernoulli, 'Beta(20)', uniform, 'Table(\"log.csv\")'."
        ),
    ] = "bernoulli",
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
            help="Folder for the result (.npz), its summary (.json) and three plots (.png, .svg)."
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
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InterruptedRun)
            run = bq.simulate(
                chosen,
                problem,
                whole("rounds", rounds, low=1),
                runs=runs,
                seed=seed,
                allow_infeasible=allow_infeasible,
                jobs=jobs,
            )
        for warning in caught:
            print(f"banditq: {warning.message}", file=sys.stderr)
        report = {"summary": run.summary().to_dict(), "info": run.info}
        if out is not None:
            _write(run, report, out, _weight(chosen, run, problem.reward_max))
        if as_json:
            print(json.dumps(report, indent=2))
        else:
            print(f"{chosen}: {run.summary()}\n")
            speed = run.info["rounds per second"] / 1e6
            print(f"  {run.info['seconds']:g} s, {speed:.3g} M rounds/s, seed {seed}")
            if out is not None:
                print(f"  written to {out}")
        if run.info["interrupted"]:
            raise typer.Exit(STOPPED)


def _problem(
    means: str | None, targets: str | None, instance: str | None, rewards: str, reward_max: float | None
) -> Any:
    import banditq as bq

    if instance is not None:
        if means is not None or targets is not None:
            raise InvalidInput("instance brings its own means and targets; leave those out")
        return bq.instance(instance).problem
    if targets is None:
        raise InvalidInput("targets are missing: give --means and --targets, or --instance paper-5")
    model = bq.RewardModel.parse(rewards)
    known = None if means is None else numbers("means", means)
    ceiling = model.default_max() if reward_max is None else reward_max
    return bq.Problem(known, numbers("targets", targets), model, ceiling)


def _weight(policy: Any, run: Any, reward_max: float) -> float | None:
    """V, if it is BanditQ that ran and V stood still."""
    import banditq as bq
    from banditq.terms import Terms

    if not isinstance(policy, bq.BanditQ):
        return None
    return policy.weight(Terms(run.targets, reward_max, int(run.rounds[-1])))


def _write(run: Any, report: dict[str, Any], out: Path, weight: float | None) -> None:
    from . import plots

    run.save(out / "result.npz")
    (out / "summary.json").write_text(json.dumps(report, indent=2) + "\n")
    plots.save_all(run, out, weight=weight)


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
        answer = bq.feasibility(numbers("targets", targets), numbers("means", means), error)
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


app.command()(arena)


def main() -> None:
    """Entry point."""
    app()
