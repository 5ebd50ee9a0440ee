"""Files: whole or not at all, named when they cannot be written, and refused when they are damaged."""

import errno
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import banditq as bq
from banditq.saving import read_file, write_file, write_whole

PROBLEM = bq.Problem([0.3, 0.8], [0.1, 0.0])
WHAT, FORMAT = "a test", 1


@pytest.mark.parametrize("compressed", [False, True])
def test_a_damaged_byte_is_refused_or_does_no_damage(tmp_path, compressed):
    """Every byte of a small file: the zip's own books, the data, the check sums."""
    header, numbers = {"what": WHAT, "format": FORMAT}, np.arange(3.0)
    path = write_file(tmp_path / "whole.npz", header, {"numbers": numbers}, compressed=compressed)
    whole = path.read_bytes()
    damaged, refused = tmp_path / "damaged.npz", 0
    for place in range(len(whole)):
        for bits in (1 << place % 8, 0xFF):
            content = bytearray(whole)
            content[place] ^= bits
            damaged.write_bytes(content)
            try:
                found, arrays = read_file(damaged, WHAT, FORMAT)
            except bq.InvalidInput:
                refused += 1
            else:
                assert found == header
                if "numbers" in arrays:  # else its name in the archive is the byte: its reader misses it
                    assert_array_equal(arrays["numbers"], numbers)
    assert refused > len(whole)


def result(path):
    return bq.simulate(bq.UCB1(), PROBLEM, 4, checkpoints=2).save(path)


def agent(path):
    opened = bq.UCB1().start([0.1, 0.0])
    opened.choose()
    return opened.save(path)


@pytest.mark.parametrize(("make", "load"), [(result, bq.Result.load), (agent, bq.Agent.load)])
def test_a_damaged_result_or_agent_is_refused_or_unharmed(make, load, tmp_path):
    path = make(tmp_path / "whole.npz")
    whole = path.read_bytes()
    damaged, again = tmp_path / "damaged.npz", tmp_path / "again.npz"
    rng = np.random.default_rng(0)
    refused = 0
    for place in range(int(rng.integers(31)), len(whole), 31):
        content = bytearray(whole)
        content[place] ^= int(rng.integers(1, 256))
        damaged.write_bytes(content)
        try:
            found = load(damaged)
        except bq.InvalidInput:
            refused += 1
        else:
            with np.load(found.save(again)) as new, np.load(path) as old:
                for name in old.files:
                    assert_array_equal(new[name], old[name], err_msg=name)
    assert refused > len(whole) // 31 // 2


def test_a_header_without_what_is_needed_is_refused(tmp_path):
    with np.load(result(tmp_path / "whole.npz")) as old:
        arrays = {name: old[name] for name in old.files}
    header = json.loads(str(arrays.pop("header")))
    del header["info"]
    path = write_file(tmp_path / "bad.npz", header, arrays, compressed=True)
    with pytest.raises(bq.InvalidInput, match="lacks info, which a result needs"):
        bq.Result.load(path)


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fill(file):
        file.write(b"the first half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(path, fill)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
