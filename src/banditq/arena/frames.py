"""The arena as data frames, and as Parquet and CSV files of the same names."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import one_of
from ..config import Config
from ..errors import InvalidInput
from ..frames import polars
from . import scores
from .presets import published

if TYPE_CHECKING:
    from .match import Arena, League

Rows = list[dict[str, Any]]


def written_out(config: Config) -> str:
    """A configuration with every field, as usual or not, as it may be written in Python."""
    told = {field.name: getattr(config, field.name) for field in fields(config) if field.init}  # type: ignore[arg-type]
    parts = [
        f"{name}={written_out(value) if isinstance(value, Config) else repr(value)}"
        for name, value in told.items()
    ]
    return f"{type(config).__name__}({', '.join(parts)})"


def _league_rows(name: str, league: "League", laws: bool) -> Rows:
    """A row a policy: who it is, its group, and every figure with its standard error."""
    rows = []
    for policy in league.order:
        entry, run = league.entries[policy], league.results[policy]
        row: dict[str, Any] = {
            "instance": name,
            "policy": policy,
            "place": league.place(policy),
            "unranked": league.unranked.get(policy, ""),
            "feedback": entry.policy.feedback,
            "needs": entry.needs,
            "configuration": written_out(entry.policy),
            "rounds": int(run.rounds[-1]),
            "runs": run.runs,
        }
        for figure in scores.figures(laws):
            found = figure.measure(run)
            row[figure.key] = found.value
            row[f"{figure.key}_error"] = None if np.isnan(found.error) else found.error
        rows.append(row)
    return rows


def _pair_rows(name: str, league: "League", laws: bool) -> Rows:
    """A row a pair of policies, the better first: the difference and its simultaneous interval."""
    rows = []
    for feedback, verdict in league.verdicts.items():
        for k, better in enumerate(verdict.order):
            for worse in verdict.order[k + 1 :]:
                told = verdict.pair(worse, better)
                numbers = {
                    key: getattr(told, key) for key in ("difference", "error", "low", "high", "apart")
                }
                rows.append(
                    {"instance": name, "feedback": feedback, "better": better, "worse": worse, **numbers}
                )
    return rows


def _run_columns(name: str, league: "League", laws: bool) -> Any:
    """A row a policy and run."""
    for policy, run in league.results.items():
        columns = {
            "run": np.asarray(run.info["runs"]),
            "reward": run.reward[:, -1],
            "regret": run.regret()[:, -1],
            "realised_regret": run.regret(realised=True)[:, -1],
            "charged_regret": league.results.charged(policy)[:, 0],
            "worst_arm_shortfall": scores.largest(run.shortfall()[:, -1]),
            "worst_window": scores.largest(run.worst_window()[:, -1]),
            "seconds": run.seconds,
        }
        if laws:
            columns["excess_regret"] = run.excess_regret()[:, -1]
            columns["lack"] = run.lack()[:, -1].sum(axis=-1)
        yield {"instance": name, "policy": policy}, columns


def _arm_columns(name: str, league: "League", laws: bool) -> Any:
    """A row a policy, run and protected arm."""
    for policy, run in league.results.items():
        shape = (run.runs, run.arms.size)
        spread = {
            "run": np.asarray(run.info["runs"])[:, None],
            "arm": run.arms,
            "target": run.targets,
            "price": run.price,
        }
        columns = {key: np.broadcast_to(values, shape).ravel() for key, values in spread.items()}
        columns["shortfall"] = run.shortfall()[:, -1].ravel()
        columns["worst_window"] = run.worst_window()[:, -1].ravel()
        yield {"instance": name, "policy": policy}, columns


def _curve_columns(name: str, league: "League", laws: bool) -> Any:
    """A row a policy and checkpoint: means over runs, and the middle 90 % of them."""
    for policy in league.order:
        run = league.results[policy]
        yield {"instance": name, "policy": policy}, {"round": run.rounds, **scores.curves(run)}


def _published_rows(name: str, league: "League", laws: bool) -> Rows:
    """A row a published number whose policy takes part at the published length."""
    rows = []
    measures = {figure.key: figure.measure for figure in scores.figures(laws)} if laws else {}
    for told in published():
        run = league.results.results.get(told["policy"])
        at = abs(int(told["round"]) - league.contest.rounds) <= 0.01 * league.contest.rounds
        if told["instance"] != name or run is None or not at or told["figure"] not in measures:
            continue
        ours = measures[told["figure"]](run)
        rows.append(
            {
                "instance": name,
                "policy": told["policy"],
                "figure": told["figure"],
                "published": float(told["mean"]),
                "ours": ours.value,
                "error": ours.error,
            }
        )
    return rows


_ROWS = {"league": _league_rows, "pairs": _pair_rows, "published": _published_rows}
_COLUMNS = {"runs": _run_columns, "arms": _arm_columns, "curves": _curve_columns}
KINDS = (*_ROWS, *_COLUMNS)


def frame(arena: "Arena", kind: str) -> Any:
    """One of the frames."""
    one_of("kind", kind, KINDS)
    pl = polars()
    if kind in _ROWS:
        rows = [row for name, league in arena.items() for row in _ROWS[kind](name, league, arena.laws)]
        return pl.DataFrame(rows, infer_schema_length=None)
    parts = [
        pl.DataFrame(dict(columns)).select(*(pl.lit(v).alias(k) for k, v in labels.items()), pl.all())
        for name, league in arena.items()
        for labels, columns in _COLUMNS[kind](name, league, arena.laws)
    ]
    return pl.concat(parts)


def write_frames(arena: "Arena", folder: Path) -> None:
    """Every frame, as Parquet and CSV."""
    for kind in KINDS:
        made = frame(arena, kind)
        made.write_parquet(folder / f"{kind}.parquet")
        made.write_csv(folder / f"{kind}.csv")


def read_frame(folder: Path, kind: str) -> Any:
    """A frame that was written."""
    path = folder / f"{kind}.parquet"
    if not path.exists():
        raise InvalidInput(
            f"{folder} holds no {kind}.parquet; run banditq arena --out {folder.parent} first"
        )
    return polars().read_parquet(path)
