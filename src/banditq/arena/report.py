"""The arena's page: data files first, then pictures and page from the data."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..page import render
from ..page.files import counted, number, write_text
from ..page.pictures import for_page, save
from . import scores
from .drawing import Panels, draw_gaps
from .folder import about, keep_only, open_folder, write_about
from .frames import read_frame, write_frames
from .presets import SOURCE
from .tables import cells, headings, verdict_lines, with_error

if TYPE_CHECKING:
    from .match import Arena, League

_TEMPLATE = Path(__file__).with_name("report.html")
_FEW = 12  # arms whose means are written out
_FEEDBACK = {
    "bandit": "Bandit feedback: the chosen arm's reward is seen",
    "full": "Full information: every arm's reward is seen",
}


def write_report(arena: "Arena", out: Path) -> Path:
    """Data, pictures and page of an arena; returns the page."""
    data, figures = open_folder(out)
    write_frames(arena, data)
    write_about(data, _about(arena))
    _draw(data, figures)
    return write_page(out)


def _about(arena: "Arena") -> dict[str, Any]:
    runs = [run.info for league in arena.values() for run in league.results.values()]
    versions = [
        ", ".join([f"Python {info['python']}", *(f"{name} {v}" for name, v in info["versions"].items())])
        for info in runs
    ]
    return {
        "title": arena.title,
        "laws": arena.laws,
        "seed": arena.seed,
        "confidence": arena.confidence,
        "machine": list(dict.fromkeys(info["machine"] for info in runs)),
        "versions": list(dict.fromkeys(versions)),
        "instances": {name: _instance(league) for name, league in arena.items()},
    }


def _instance(league: "League") -> dict[str, Any]:
    problem, rounds = league.contest.problem, league.contest.rounds
    averaged = problem.averaged(rounds)
    few = problem.n_arms <= _FEW
    return {
        "arms": problem.n_arms,
        "means": averaged.means.tolist() if few else None,
        "targets": problem.targets.tolist() if few else None,
        "protected": int(problem.protected.size),
        "load": averaged.load,
        "reward_max": problem.reward_max,
        "rewards": type(problem.rewards).__name__,
        "recorded": league.contest.recorded,
        "rounds": rounds,
        "runs": next(iter(league.results.values())).runs,
        "seconds": round(sum(float(run.seconds.sum()) for run in league.results.values()), 3),
        "notes": {name: list(entry.notes) for name, entry in league.entries.items() if entry.notes},
        "absent": dict(league.absent),
        "failed": dict(league.failed),
    }


_TAKEN = ("reading", "played")  # anchors of the page's own


def slug(name: str) -> str:
    """A name for files and anchors, which other names may share."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()


def anchors(names: Iterable[str], without: str) -> dict[str, str]:
    """Names for files and anchors, one each: slugs, and numbers where those would be shared or empty."""
    found: dict[str, str] = {}
    for name in names:
        plain = slug(name) or without
        tries = (plain, *(f"{plain}-{k}" for k in range(2, len(found) + len(_TAKEN) + 3)))
        found[name] = next(one for one in tries if one not in (*_TAKEN, *found.values()))
    return found


def _draw(data: Path, figures: Path) -> None:
    known = about(data)
    curves, pairs = _curves(data), _pairs(data)
    stems = set()
    for name, anchor in anchors(known["instances"], "instance").items():
        for feedback in _FEEDBACK:
            if (name, feedback) in pairs:
                picture = draw_gaps(pairs[name, feedback], known["instances"][name]["rounds"])
                save(picture, figures / f"{anchor}-{feedback}")
                stems.add(f"{anchor}-{feedback}")
        Panels(curves[name]).save(figures / f"{anchor}-time")
        stems.add(f"{anchor}-time")
    keep_only(figures, stems)


def _pairs(data: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Rows of the pairs frame by instance and feedback, in the order of the verdict."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in read_frame(data, "pairs").iter_rows(named=True):
        found.setdefault((row["instance"], row["feedback"]), []).append(row)
    return found


def _curves(data: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Columns of the curves frame by instance and policy."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    frame = read_frame(data, "curves")
    for (name, policy), part in frame.group_by(["instance", "policy"], maintain_order=True):
        columns = {key: part[key].to_numpy() for key in part.columns if key not in ("instance", "policy")}
        found.setdefault(str(name), {})[str(policy)] = columns
    return found


def rows_of(data: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of the league frame by instance."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in read_frame(data, "league").iter_rows(named=True):
        found.setdefault(row["instance"], []).append(row)
    return found


def write_page(out: Path) -> Path:
    """The page, from the data and pictures that are there."""
    data = out / "data"
    known = about(data)
    leagues, curves, pairs, numbers = rows_of(data), _curves(data), _pairs(data), _published(data)
    sections = [
        _section(name, anchor, known, leagues[name], curves[name], pairs, out)
        | {"published": numbers.get(name, [])}
        for name, anchor in anchors(known["instances"], "instance").items()
    ]
    page = render(
        _TEMPLATE,
        about=known,
        sections=sections,
        source=SOURCE,
        headings=headings(known["laws"]),
        seconds=number(sum(told["seconds"] for told in known["instances"].values())),
    )
    write_text(out / "index.html", page)
    return out / "index.html"


def _section(
    name: str,
    anchor: str,
    known: dict[str, Any],
    rows: list[dict[str, Any]],
    curves: dict[str, dict[str, Any]],
    pairs: Any,
    out: Path,
) -> dict[str, Any]:
    told, laws = known["instances"][name], known["laws"]
    verdicts = verdict_lines(rows)
    gaps = {
        feedback: for_page(
            (out / "figures" / f"{anchor}-{feedback}.svg").read_text(encoding="utf-8"),
            f"{anchor}_{feedback}",  # no anchor has an underscore
        )
        for feedback in verdicts
        if (name, feedback) in pairs
    }
    panels = Panels(curves)
    return {
        "name": name,
        "anchor": anchor,
        "told": told,
        "facts": _facts(told),
        "verdicts": [
            {"title": _FEEDBACK[feedback], "lines": lines, "gaps": gaps.get(feedback, "")}
            for feedback, lines in verdicts.items()
        ],
        "rows": [{"cells": cells(row, laws), "unranked": row["unranked"]} for row in rows],
        "panels": [
            {"policy": policy, "svg": for_page(panels.svg(policy), f"{anchor}_time_{own}")}
            for policy, own in anchors(curves, "policy").items()
        ],
    }


def _facts(told: dict[str, Any]) -> str:
    """What the instance is, in a line."""
    parts = [f"{counted(told['arms'], 'arm')}, {told['protected']} protected"]
    if told["means"] is not None:
        when = " on average" if told["rewards"] in ("Drift", "Adversarial") else ""
        parts.append(f"means{when} " + ", ".join(f"{mean:.4g}" for mean in told["means"]))
        parts.append("targets " + ", ".join(f"{target:.4g}" for target in told["targets"]))
    parts.append(f"load {told['load']:.3f}")
    parts.append(f"{told['rewards']} rewards")
    parts.append(f"{counted(told['rounds'], 'round')}, {counted(told['runs'], 'run')}")
    return "; ".join(parts) + "."


def _published(data: Path) -> dict[str, list[dict[str, str]]]:
    """Published numbers beside ours, by instance."""
    titles = {figure.key: figure.heading for figure in scores.figures(laws=True)}
    found: dict[str, list[dict[str, str]]] = {}
    for row in read_frame(data, "published").iter_rows(named=True):
        found.setdefault(row["instance"], []).append(
            {
                "policy": row["policy"],
                "figure": titles[row["figure"]],
                "published": number(row["published"]),
                "ours": with_error(row["ours"], row["error"]),
            }
        )
    return found
