"""Recorded rewards in files, and files that are not what they should be."""

import builtins
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from banditq.errors import InvalidInput
from banditq.rewards.base import RewardModel
from banditq.rewards.table import Table
from rewards.examples import replayed, says

VALUES = np.array([[0.0, 1.0, 0.25], [0.5, 0.125, 1e-300], [1.0 / 3.0, 0.7, 0.0], [0.1, 0.2, 0.3]])


def write(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


@pytest.fixture(name="folder", params=["csv", "headless.csv", "npy", "parquet"])
def _folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with one file that holds VALUES."""
    path = tmp_path / f"table.{request.param}"
    frame = polars.DataFrame(VALUES, schema=["a", "b", "c"])
    match request.param:
        case "csv" | "headless.csv":
            frame.write_csv(path, include_header=request.param == "csv")
        case "npy":
            np.save(path, VALUES)
        case _:
            frame.write_parquet(path)
    return path


def test_files_are_read(folder: Path) -> None:
    np.testing.assert_array_equal(replayed(Table(folder)), VALUES)
    np.testing.assert_array_equal(replayed(Table(str(folder), columns=(2, 0))), VALUES[:, [2, 0]])


def test_paths_are_written_down_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    table = Table(folder.name, columns=[1, 2])
    data = json.loads(json.dumps(table.to_dict()))
    assert data == {"kind": "Table", "values": folder.name, "columns": [1, 2]}
    again = RewardModel.from_dict(data)
    assert again == table
    assert hash(again) == hash(table)
    assert Table(folder.name) != table
    np.testing.assert_array_equal(replayed(pickle.loads(pickle.dumps(table))), VALUES[:, 1:])


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "log.csv", "when,a,b\n2024-05-01,0.5,0.25\n2024-05-02,1,0\n")
    np.testing.assert_array_equal(replayed(Table(path, columns=["b", "a"])), [[0.25, 0.5], [0.0, 1.0]])
    np.testing.assert_array_equal(replayed(Table(path, columns=("b", 1))), [[0.25, 0.5], [0.0, 1.0]])


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n0.5,1\n0,0.25\n",
        "0.5,1\n0,0.25",
        "a,b\r\n0.5,1\r\n0,0.25\r\n",
        '"a","b"\n"0.5","1"\n"0","0.25"\n',
        " a , b\n 0.5 , 1\n0, 2.5e-1\n",
        b"\xef\xbb\xbfa,b\n0.5,1\n0,0.25\n",
        b"\xef\xbb\xbf0.5,1\n0,0.25\n",
    ],
)
def test_csv_comes_in_many_forms(tmp_path: Path, text: str | bytes) -> None:
    found = replayed(Table(write(tmp_path / "table.csv", text)))
    np.testing.assert_array_equal(found, [[0.5, 1.0], [0.0, 0.25]])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b\n1,2\n3,x\n", ["row 2, column 'b' is 'x'", "number"]),
        ("1,2\n3,x\n", ["row 2, column 1 is 'x'", "number"]),
        ("a,b\n1,2\n3,\n", ["row 2, column 'b' is empty"]),
        ("a,b\n1,2\n3\n5,6\n", ["row 2, column 'b' is empty"]),
        ("a,b\n1,2\n3,4,5\n", ["row 2 has 3 values", "first line has 2"]),
        ("1,2\n3,4\n3,4,5\n", ["row 3 has 3 values", "first line has 2"]),
        ("a,b\n1,2\n\n3,4\n", ["row 2, column 'a' is empty"]),
        ("a,b\n1,2\n3,-4\n", ["row 2, column 'b' is -4", "at least 0"]),
        ("a,b\n1,2\n3,nan\n", ["row 2, column 'b' is nan", "finite"]),
        ("a,b\n1,2\ninf,4\n", ["row 2, column 'a' is inf", "finite"]),
        ("a;b\n1;2\n", ["row 1, column 'a;b' is '1;2'"]),
        ("a,b\n", ["no rows"]),
        ("", ["empty"]),
        (b"a,b\n1,\xff\n", ["utf-8"]),
    ],
)
def test_a_bad_csv_is_refused(tmp_path: Path, text: str | bytes, parts: list[str]) -> None:
    path = write(tmp_path / "bad.csv", text)
    with pytest.raises(InvalidInput) as error:
        Table(path)
    says(error, path, *parts)


def test_a_bad_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    days = polars.date_range(polars.date(2024, 1, 1), polars.date(2024, 1, 2), eager=True)
    polars.DataFrame({"day": days, "a": [0.5, None], "b": [True, False]}).write_parquet(path)
    np.testing.assert_array_equal(replayed(Table(path, columns=["b"])), [[1.0], [0.0]])
    with pytest.raises(InvalidInput) as error:
        Table(path)
    says(error, str(path), "column 'day' holds Date", "columns=[...]")
    with pytest.raises(InvalidInput) as error:
        Table(path, columns=["a"])
    says(error, f"{path}, row 2, column 'a' is empty")
    with pytest.raises(InvalidInput) as error:
        Table(write(path, "junk"))
    says(error, f"{path} cannot be read", "arquet")


def test_a_bad_npy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.npy"
    for content in (b"", b"junk", b"\x93NUMPY\x01\x00"):
        with pytest.raises(InvalidInput) as error:
            Table(write(path, content))
        says(error, f"{path} cannot be read", "np.save")
    np.save(path, np.array([[1, "x"]], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInput) as error:
        Table(path)
    says(error, f"{path} cannot be read", "np.save")
    np.save(path, np.array([1.0, 2.0]))
    with pytest.raises(InvalidInput) as error:
        Table(path)
    says(error, str(path), "shape (2,)")
    np.save(path, -VALUES)
    with pytest.raises(InvalidInput) as error:
        Table(path, columns=[2, 1])
    says(error, f"{path}, row 1, column 2 is -0.25")


def test_a_missing_or_unknown_file_is_refused(tmp_path: Path) -> None:
    for name in ("none.csv", "none.npy", "none.parquet"):
        with pytest.raises(InvalidInput) as error:
            Table(tmp_path / name)
        says(error, f"no file {tmp_path / name}")
    with pytest.raises(InvalidInput) as error:
        Table(write(tmp_path / "table.xlsx", "junk"))
    says(error, "table.xlsx", ".npy, .csv or .parquet")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput) as error:
        Table(tmp_path / "folder.csv")
    says(error, "no file")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_without_polars_the_error_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = write(tmp_path / name, "0.5,1\n")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(InvalidInput) as error:
        Table(path)
    says(error, path, "pip install banditq[frames]")


def test_polars_is_not_imported_before_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "table.npy", VALUES)
    real_import = builtins.__import__

    def guarded(name: str, *args: Any, **options: Any) -> Any:
        assert name.partition(".")[0] != "polars"
        return real_import(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", guarded)
    assert Table(tmp_path / "table.npy").longest() == Table(VALUES).longest() == 4


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ("ab", ["columns is 'ab'", "list of names"]),
        (1, ["columns is 1", "list of names"]),
        ([], ["columns is []"]),
        ([True], ["columns is [True]"]),
        ([0.5], ["columns is [0.5]"]),
        ([0, 3], ["asks for 3", "columns 0 to 2"]),
        ([-1], ["asks for -1", "columns 0 to 2"]),
        (["z"], ["asks for 'z'", "columns 0 to 2"]),
    ],
)
def test_columns_that_are_not_there_are_refused(tmp_path: Path, columns: Any, parts: list[str]) -> None:
    with pytest.raises(InvalidInput) as error:
        Table(VALUES, columns)
    says(error, *parts)
    with pytest.raises(InvalidInput) as error:
        Table(write(tmp_path / "table.csv", "a,b,c\n1,2,3\n"), columns)
    says(error, *parts)


def test_a_message_about_columns_lists_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as error:
        Table(write(tmp_path / "table.csv", "a,b\n1,2\n"), ["z"])
    says(error, "table.csv has columns 0 to 1", "'a', 'b'")
    with pytest.raises(InvalidInput) as error:
        Table(write(tmp_path / "table.csv", "1,2\n"), ["z"])
    says(error, "table.csv has columns 0 to 1 without names")


def test_too_large_a_cell_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as error:
        Table([[0.5, 0.5], [0.5, 3.5], [9.0, 0.0]]).check(np.zeros(2), 1.0)
    says(error, "values[1, 1] is 3.5", "reward_max = 1;", "reward_max = 9 would do")
    path = write(tmp_path / "table.csv", "a,b\n0.5,3.5\n")
    with pytest.raises(InvalidInput) as error:
        Table(path).check(np.zeros(2), 1.0)
    says(error, f"{path}, row 1, column 'b' is 3.5")
