"""Results as data frames. Polars: it reads and writes Parquet and CSV by itself, and imports quickly."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .checks import one_of
from .errors import InvalidInput

if TYPE_CHECKING:
    from .result import Result


def polars() -> Any:
    """The library, or what to do without it."""
    try:
        import polars
    except ImportError:
        raise InvalidInput("data frames need polars: pip install 'banditq[frames]'") from None
    return polars


def result_frame(result: "Result", per: Literal["round", "arm"]) -> Any:
    """A row a run and checkpoint, or a row a run, checkpoint and recorded arm."""
    one_of("per", per, ("round", "arm"))
    runs = np.asarray(result.info["runs"])
    if per == "round":
        shape: tuple[int, ...] = result.reward.shape
        columns = {
            "reward": result.reward,
            "expected": result.expected,
            "regret": result.regret(),
            "realised_regret": result.regret(realised=True),
        }
    else:
        shape = result.accrued.shape
        columns = {
            "target": np.broadcast_to(result.targets, shape),
            "accrued": result.accrued,
            "rate": result.rates(),
            "shortfall": result.shortfall(),
            "queue": result.queues(),
            "peak_queue": result.peak,
            "plays": result.pulls(),
        }
    axes = [runs, result.rounds, result.arms][: len(shape)]
    names = ("run", "round", "arm")[: len(shape)]
    index = dict(zip(names, np.meshgrid(*axes, indexing="ij"), strict=True))
    return polars().DataFrame({name: values.ravel() for name, values in (index | columns).items()})
