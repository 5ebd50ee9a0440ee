"""The author's own MATLAB code under GNU Octave, where both are at hand.

His scripts set T and N, loop, and plot. They are run as they stand, with another T and N, cut off
before the plots, and with the clock read before and after the loop. Three helpers that they call
are not his and not in his repository: a progress bar and a PDF writer, which do nothing here, and the
projection on the simplex.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..errors import InvalidInput

Rows = list[dict[str, Any]]

SCRIPTS = {"bandit": "BanditQ_bandit_expts.m", "full": "BanditQ_full_info.m"}
HOW = (
    "The author's code is timed by `banditq bench --author FOLDER`, with GNU Octave installed and FOLDER a "
    "copy of https://github.com/abhishek-sinha-tifr/BanditQ_UAI24."
)
_MARK = "banditq_seconds"
_HELPERS = {
    "progressbar.m": "function progressbar(varargin)\nend\n",
    "save2pdf.m": "function save2pdf(varargin)\nend\n",
    "projsplx.m": """function x = projsplx(y)
  falling = sort(y, 'descend');
  levels = (cumsum(falling) - 1) ./ (1:numel(y));
  x = max(y - levels(find(falling > levels, 1, 'last')), 0);
end
""",
}


def timed_script(text: str, n_arms: int, rounds: int) -> str:
    """A script with its T and N replaced, the clock around its loop and its plots cut off."""
    for name, value in (("T", rounds), ("N", n_arms)):
        text, found = re.subn(rf"(?m)^\s*{name}\s*=[^;\n]*;", f"{name}={value};", text, count=1)
        if not found:
            raise InvalidInput(f"the author's script sets no {name}; is it another version?")
    plots = re.search(r"(?m)^\s*figure\s*\(", text)
    body = text[: plots.start()] if plots else text
    loop = re.search(r"(?m)^\s*for\s+t\s*=\s*1\s*:\s*T\b", body)
    if loop is None:
        raise InvalidInput("the author's script has no loop over t = 1:T; is it another version?")
    clock = (
        f"\nbanditq_clock = tic;\n{body[loop.start() :]}\nprintf('{_MARK} %.9g\\n', toc(banditq_clock));\n"
    )
    return body[: loop.start()] + clock


def ready(folder: Path) -> tuple[str, dict[str, Path]]:
    """Octave and the scripts by feedback, or what is missing."""
    octave = shutil.which("octave-cli") or shutil.which("octave")
    if octave is None:
        raise InvalidInput("GNU Octave is not installed, and the author's code is in its language")
    scripts = {feedback: folder / name for feedback, name in SCRIPTS.items()}
    for script in scripts.values():
        if not script.is_file():
            raise InvalidInput(f"author is {folder}, and there is no {script.name} in it. {HOW}")
    return octave, scripts


def author_nanoseconds(folder: Path, feedback: str, n_arms: int, rounds: int) -> float:
    """Nanoseconds a round of one script at one size."""
    octave, scripts = ready(folder)
    source = scripts[feedback]
    script = timed_script(source.read_text(encoding="utf-8", errors="replace"), n_arms, rounds)
    with tempfile.TemporaryDirectory() as work:
        for helper in folder.glob("*.m"):
            shutil.copy(helper, work)
        for name, text in _HELPERS.items():
            if not (Path(work) / name).exists():
                (Path(work) / name).write_text(text)
        (Path(work) / "banditq_timed.m").write_text(script)
        command = [octave, "--quiet", "--norc", "--eval", "banditq_timed"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    said = re.search(rf"{_MARK} (\S+)", done.stdout)
    if said is None:
        told = (done.stderr.strip().splitlines() or ["it printed no time"])[-1]
        raise InvalidInput(f"Octave could not run {source.name}: {told}")
    return 1e9 * float(said[1]) / rounds


def author_rows(folder: Path, cases: tuple[tuple[str, int, int], ...]) -> Rows:
    """His scripts at these feedbacks, numbers of arms and of rounds."""
    return [
        {
            "feedback": feedback,
            "n_arms": n,
            "rounds": rounds,
            "ns": author_nanoseconds(folder, feedback, n, rounds),
        }
        for feedback, n, rounds in cases
    ]
