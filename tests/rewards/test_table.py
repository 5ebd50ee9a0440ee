"""Recorded rewards in memory."""

from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from banditq.errors import InvalidInput
from banditq.rewards.base import RewardModel
from banditq.rewards.table import Table
from rewards.examples import replayed, says

VALUES = np.array([[0.0, 1.0, 0.25], [0.5, 0.125, 1e-300], [1.0 / 3.0, 0.7, 0.0], [0.1, 0.2, 0.3]])


@settings(deadline=None)
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(0.0, 1e12)))
def test_every_cell_is_paid_as_it_is(values: np.ndarray) -> None:
    np.testing.assert_array_equal(replayed(Table(values)), values)


@pytest.mark.parametrize(
    "values",
    [
        VALUES.tolist(),
        np.asfortranarray(VALUES),
        np.repeat(np.repeat(VALUES, 2, axis=0), 2, axis=1)[::2, ::2],
        polars.DataFrame(VALUES),
    ],
)
def test_any_form_of_array_is_taken(values: Any) -> None:
    assert Table(values) == Table(VALUES)
    np.testing.assert_array_equal(replayed(Table(values)), VALUES)


def test_counts_and_clicks_are_numbers() -> None:
    np.testing.assert_array_equal(replayed(Table([[1, 0], [3, 2]])), [[1.0, 0.0], [3.0, 2.0]])
    np.testing.assert_array_equal(replayed(Table([[True, False]])), [[1.0, 0.0]])


def test_a_table_keeps_its_own_copy() -> None:
    mine = VALUES.copy()
    table = Table(mine)
    mine[:] = 9.0
    np.testing.assert_array_equal(replayed(table), VALUES)
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 9.0


def test_the_largest_reward_is_one_or_more() -> None:
    assert Table(VALUES).default_max() == 1.0
    assert Table([[0.0, 0.0]]).default_max() == 1.0
    assert Table([[0.5, 7.5]]).default_max() == 7.5


def test_averages_are_those_of_the_rows() -> None:
    table = Table([[0.0, 1.0], [1.0, 0.5], [0.5, 0.0]])
    np.testing.assert_array_equal(table.average(np.zeros(2), 1), [0.0, 1.0])
    np.testing.assert_array_equal(table.average(np.zeros(2), 2), [0.5, 0.75])
    np.testing.assert_array_equal(table.own_means(), [0.5, 0.5])


def test_tables_are_equal_when_their_cells_are() -> None:
    flat = np.arange(6.0)
    assert Table(flat.reshape(2, 3)) == Table(flat.reshape(2, 3))
    assert Table(flat.reshape(2, 3)) != Table(flat.reshape(3, 2))
    assert Table(flat.reshape(2, 3)) != Table(flat.reshape(2, 3), columns=[0, 1, 2])
    assert len({Table(VALUES), Table(VALUES), Table(2.0 * VALUES)}) == 2


def test_arrays_are_written_down_as_a_note() -> None:
    data = Table(VALUES).to_dict()
    assert data["values"]["not_stored"] == "array"
    assert data["values"]["shape"] == [4, 3]
    assert int(data["values"]["sha256"], 16) < 2**256
    with pytest.raises(InvalidInput) as error:
        RewardModel.from_dict(data)
    says(error, "4 × 3", data["values"]["sha256"][:12], "pass values again")


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        ([[0.5, 0.5], [0.5, np.nan]], ["values[1, 1] is nan", "finite"]),
        ([[0.5, -0.5]], ["values[0, 1] is -0.5", "at least 0"]),
        ([[np.inf]], ["values[0, 0] is inf"]),
        ([0.5, 0.5], ["values has shape (2,)", "row a round"]),
        ([[[0.5]]], ["values has shape (1, 1, 1)"]),
        (np.zeros((0, 3)), ["shape (0, 3)", "at least one"]),
        (np.zeros((3, 0)), ["shape (3, 0)", "at least one"]),
        ([[0.5, 0.5], [0.5]], ["values must be an array", "all rows alike"]),
        ([["x"]], ["values must be an array of numbers"]),
        (None, ["values has shape ()"]),
    ],
)
def test_arrays_that_make_no_sense_are_refused(values: Any, parts: list[str]) -> None:
    with pytest.raises(InvalidInput) as error:
        Table(values)
    says(error, *parts)


def test_too_few_rows_are_named() -> None:
    with pytest.raises(InvalidInput) as error:
        Table(VALUES).block(np.zeros(3), 1.0, 5, 10)
    says(error, "round 5", "4 rows", "at most 4 rounds")
