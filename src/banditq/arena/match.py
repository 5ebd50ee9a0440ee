"""The arena: plays policies × instances × runs on the same rewards, and keeps what was played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks import whole
from ..compare import Comparison
from ..errors import InvalidInput
from ..result import Result
from ..verdict import Verdict, check_confidence
from .contests import Contest, contests
from .contests import Wanted as WantedInstances
from .entries import IGNORES, Absent, Entry, enter
from .entries import Wanted as WantedPolicies
from .folder import open_folder
from .playing import Player
from .presets import preset as find_preset
from .tables import FEEDBACK

INSTANCES = ("paper-5", "gap-0", "gap-50", "drift")
ROUNDS, RUNS = 100_000, 50


@dataclass(frozen=True)
class League:
    """One instance, played: who took part, the results by name, and who is told apart from whom.

    ``unranked`` says why a policy stands outside the ranking, and ``verdicts`` has one for each kind of
    feedback, over the policies that are ranked.
    """

    contest: Contest
    entries: dict[str, Entry]
    results: Comparison
    unranked: dict[str, str]
    verdicts: dict[str, Verdict]
    absent: tuple[Absent, ...]
    failed: tuple[Absent, ...]

    @property
    def order(self) -> list[str]:
        """Names by priced regret, the best first: bandit feedback, full information, then the unranked."""

        def section(name: str) -> tuple[bool, bool]:
            unranked = name in self.unranked
            return unranked, not unranked and self.entries[name].policy.feedback == "full"

        return sorted(self.results.table(), key=section)

    def place(self, name: str) -> int | None:
        """The place of a policy among those of its feedback; None if it is not ranked."""
        if name in self.unranked:
            return None
        return self.verdicts[self.entries[name].policy.feedback].place(name)

    def __str__(self) -> str:
        parts = []
        for feedback, verdict in self.verdicts.items():
            parts += [f"{FEEDBACK[feedback]}:", *(f"  {line}" for line in verdict.lines())]
        return "\n".join(parts)


@dataclass(frozen=True)
class Arena(Mapping[str, League]):
    """The leagues by instance; ``print`` it for the verdicts, :meth:`write` for the page and the data.

    Examples
    --------
    Always playing the better of two arms takes an oracle, and stands outside the ranking.

    >>> import banditq as bq
    >>> two = {"two arms": bq.Problem(means=[0.2, 0.8], targets=[0.1, 0.0])}
    >>> policies = {"oracle": bq.FixedMix([0.5, 0.5]), "banditq": bq.BanditQ()}
    >>> played = bq.arena(two, policies, rounds=100, runs=6)
    >>> list(played), played["two arms"].place("banditq"), played["two arms"].place("oracle")
    (['two arms'], 1, None)
    """

    leagues: dict[str, League]
    laws: bool
    seed: int
    confidence: float
    title: str

    def __getitem__(self, name: str) -> League:
        return self.leagues[name]

    def __iter__(self) -> Any:
        return iter(self.leagues)

    def __len__(self) -> int:
        return len(self.leagues)

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{league}" for name, league in self.leagues.items())

    def to_dict(self) -> dict[str, Any]:
        """Every league's rows and groups, as JSON can hold them."""
        rows = self.to_frame("league").to_dicts()
        return {
            name: {
                "policies": [row for row in rows if row["instance"] == name],
                "groups": {kind: list(map(list, v.groups)) for kind, v in league.verdicts.items()},
                "absent": dict(league.absent),
                "failed": dict(league.failed),
            }
            for name, league in self.leagues.items()
        }

    def to_frame(self, kind: str = "league") -> Any:
        """A polars DataFrame: ``league``, ``pairs``, ``runs``, ``arms``, ``curves`` or ``published``."""
        from .frames import frame

        return frame(self, kind)

    def write(self, out: str | Path) -> Path:
        """Write page, pictures and data to a folder; returns the page."""
        from .report import write_report

        return write_report(self, Path(out))


def arena(
    instances: WantedInstances | None = None,
    policies: WantedPolicies = None,
    *,
    preset: str | None = None,
    rounds: int | None = None,
    runs: int | None = None,
    seed: int = 0,
    targets: Sequence[float] | None = None,
    laws: bool = False,
    confidence: float = 0.95,
    out: str | Path | None = None,
    jobs: int | None = None,
    progress: bool | None = None,
) -> Arena:
    """Play every policy on every instance, on the same rewards, and say who can be told apart.

    Parameters
    ----------
    instances
        Names with commas between them, a list, or a dict: see :func:`banditq.arena.contests.contests`.
    policies
        All by default. Names of entries, expressions such as ``"BanditQ(v=500)"``, policies and learners,
        in a string with commas, a list, or a dict by the names that tables shall give them.
    preset
        An experiment of the literature, such as ``"baudry-5"``: its instances, rounds and runs unless
        others are given, its figures, its settings of the entries, and all policies that have an eye for
        the targets.
    rounds, runs, seed
        Of each instance and policy. Without ``rounds``, named instances and bare problems are played for
        100,000, and whatever brings its own number (an :class:`Instance`, a TOML file, a recorded table)
        for that; 50 runs by default.
    targets
        Those of recorded tables given as files; other instances have their own.
    laws
        Watch the law of every round as well, for figures per round. Costs time.
    confidence
        Of each verdict by itself: that no two policies of equal priced regret are told apart in one list,
        the ranked policies with one kind of feedback on one instance.
    out
        A folder for page, data and what was played, which is found again there. Nothing is written
        without.
    jobs, progress
        As in :func:`banditq.simulate`.

    Examples
    --------
    >>> import banditq as bq
    >>> found = bq.arena("gap-50", ["banditq", "banditq-tsallis"], rounds=5_000, runs=10)
    >>> print(found)
    gap-50
    bandit feedback:
      1st: banditq-tsallis
      2nd: banditq
    """
    chosen = None if preset is None else find_preset(preset)
    check_confidence(confidence)
    runs = whole("runs", runs if runs is not None else chosen.runs if chosen else RUNS, low=1)
    seed = whole("seed", seed, low=0)
    jobs = None if jobs is None else whole("jobs", jobs, low=1)
    laws = laws or chosen is not None
    fixtures = []
    for contest in line_up(instances, preset, rounds, targets):
        settings = chosen.settings if chosen else {}
        entries, absent = enter(contest.problem, contest.rounds, policies, settings)
        if chosen and policies is None:  # experiments about promises leave out who makes none
            entries = [entry for entry in entries if entry.aside != IGNORES]
        fixtures.append((contest, entries, absent))
    folder = None if out is None else Path(out)
    if folder is not None:
        open_folder(folder)
    player = Player(runs, seed, laws, jobs, folder and folder / "cache")
    played = player.play(fixtures, progress)
    leagues = {
        contest.name: _league(contest, entries, absent, *played[contest.name], confidence)
        for contest, entries, absent in fixtures
    }
    found = Arena(leagues, laws, seed, confidence, chosen.title if chosen else "")
    if folder is not None:
        found.write(folder)
    return found


def line_up(
    instances: WantedInstances | None,
    preset: str | None,
    rounds: int | None,
    targets: Sequence[float] | None,
) -> list[Contest]:
    """What :func:`arena` plays, told the same."""
    chosen = None if preset is None else find_preset(preset)
    if instances is None:
        instances = INSTANCES if chosen is None else chosen.instances
    return contests(instances, rounds, targets, named=chosen.rounds if chosen else ROUNDS)


def _league(
    contest: Contest,
    entries: Sequence[Entry],
    absent: Sequence[Absent],
    results: dict[str, Result],
    failed: Sequence[Absent],
    confidence: float,
) -> League:
    if not results:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in (*absent, *failed))
        raise InvalidInput(f"no policy can play instance {contest.name!r}: {reasons}")
    there = {entry.name: entry for entry in entries if entry.name in results}
    unranked = {name: entry.aside for name, entry in there.items() if entry.aside}
    verdicts = {}
    for feedback in FEEDBACK:
        ranked = {
            name: run
            for name, run in results.items()
            if name not in unranked and there[name].policy.feedback == feedback
        }
        if ranked:
            verdicts[feedback] = Comparison(ranked).verdict(confidence)
    return League(contest, there, Comparison(results), unranked, verdicts, tuple(absent), tuple(failed))
