"""The engine: same table for all, nothing depends on how the work was cut, and refusals."""

import json
import re
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq.kernels.noise import Stream, stream_key
from banditq.plots import weight_of
from banditq.schedule import checkpoint_rounds

MEANS = np.array([0.335, 0.203, 0.241, 0.781, 0.617])
TARGETS = np.array([0.167, 0.067, 0, 0, 0])
PROBLEM = bq.Problem(MEANS, TARGETS)
engine = sys.modules["banditq.simulate"]  # `bq.simulate` is the function
ARRAYS = ("reward", "expected", "accrued", "played", "queue", "peak", "worst")


def same(one, other, **tolerance):
    for name in ARRAYS:
        assert_allclose(getattr(one, name), getattr(other, name), err_msg=name, **tolerance)


def ledger_by_hand(policy, problem, rounds, seed, run, windows):
    """What the engine's ledger must say, from the agent's choices and the table, in plain NumPy."""
    state, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds)
    key = stream_key(seed, run, Stream.REWARDS)
    agent = policy.start(problem.targets, seed=seed, rounds=rounds, run=run)
    n = problem.n_arms
    paid, share, expected = np.zeros((rounds, n)), np.zeros((rounds, n)), np.zeros(rounds)
    for t in range(rounds):
        table = np.array([bq.sample(state, key, t + 1, arm) for arm in range(n)])
        law = agent.law()
        choice = agent.choose()
        if policy.feedback == "full":
            agent.learn(choice, table)
            share[t], paid[t], expected[t] = law, law * table, law @ problem.means
        else:
            agent.learn(choice, table[choice.arm])
            share[t, choice.arm], paid[t, choice.arm] = 1.0, table[choice.arm]
            expected[t] = problem.means[choice.arm]
    owed = problem.targets - paid
    total = np.vstack([np.zeros(n), np.cumsum(owed, axis=0)])  # S(t), shortfall up to round t
    queue = total[1:] - np.minimum.accumulate(total, axis=0)[1:]
    worst = np.full((rounds, len(windows), n), -np.inf)
    for w, length in enumerate(windows):
        ended = total[length:] - total[:-length]
        worst[length - 1 :, w] = np.maximum.accumulate(ended, axis=0)
    return {
        "reward": paid.sum(axis=1).cumsum(),
        "expected": expected.cumsum(),
        "accrued": paid.cumsum(axis=0),
        "played": share.cumsum(axis=0),
        "queue": queue,
        "peak": np.maximum.accumulate(queue, axis=0),
        "worst": worst,
    }


@pytest.mark.parametrize("feedback", ["bandit", "full"])
def test_the_ledger_is_what_was_paid(feedback):
    """The queue is the largest shortfall of windows ending now, and the peak of windows so far."""
    rounds, windows, policy = 500, (1, 10, 250), bq.BanditQ(feedback)
    every = range(1, rounds + 1)
    run = bq.simulate(
        policy, PROBLEM, rounds, runs=2, seed=4, arms="all", checkpoints=every, windows=windows
    )
    expected = ledger_by_hand(policy, PROBLEM, rounds, 4, 1, windows)
    for name, value in expected.items():
        assert_allclose(getattr(run, name)[1], value, rtol=1e-10, atol=1e-10, err_msg=name)
    for w, length in enumerate(windows):
        assert_array_equal(run.worst_window(length), run.worst[:, :, w])


@pytest.mark.parametrize("feedback", ["bandit", "full"])
def test_nothing_depends_on_threads_slices_or_checkpoints(feedback, monkeypatch):
    policy = bq.BanditQ(feedback)
    whole = bq.simulate(policy, PROBLEM, 3000, runs=3, seed=1, jobs=1)
    many = bq.simulate(policy, PROBLEM, 3000, runs=3, seed=1, jobs=3)
    monkeypatch.setattr(engine, "_SLICE_SECONDS", 0.0)  # ever shorter slices
    cut = bq.simulate(policy, PROBLEM, 3000, runs=3, seed=1)
    for other in (many, cut):
        for name in ARRAYS:
            assert_array_equal(getattr(whole, name), getattr(other, name), err_msg=name)
    coarse = bq.simulate(policy, PROBLEM, 3000, runs=3, seed=1, checkpoints=[7, 3000])
    assert coarse.rounds.tolist() == [7, 3000]
    for name in ARRAYS:
        last = getattr(whole, name)[:, -1]
        assert_allclose(getattr(coarse, name)[:, -1], last, rtol=1e-13, err_msg=name)


def test_runs_and_seeds_differ_and_repeat():
    one = bq.simulate(bq.BanditQ(), PROBLEM, 2000, runs=2, seed=1)
    again = bq.simulate(bq.BanditQ(), PROBLEM, 2000, runs=1, seed=1)
    other = bq.simulate(bq.BanditQ(), PROBLEM, 2000, runs=1, seed=2)
    assert_array_equal(one.reward[0], again.reward[0])
    assert (one.reward[0] != one.reward[1]).any()
    assert (one.reward[0] != other.reward[0]).any()


def test_checkpoints_are_bounded_and_end_with_the_last_round():
    for rounds in (1, 2, 3, 1000, 10**6):
        points = checkpoint_rounds(1000, rounds)
        assert points[-1] == rounds
        assert points[0] == 1 or rounds > 1
        assert points.size <= 1001
        assert (np.diff(points) > 0).all()
    assert checkpoint_rounds(1, 50).tolist() == [50]


def test_a_table_pays_what_it_says():
    rng = np.random.default_rng(0)
    table = rng.random((200, 3))
    problem = bq.Problem(targets=[0.1, 0.0, 0.0], rewards=bq.Table(table))
    run = bq.simulate(bq.UCB1(), problem, 200, arms="all", checkpoints=range(1, 201))
    pulls = np.diff(run.played[0], axis=0, prepend=0.0)
    assert_allclose(np.diff(run.reward[0], prepend=0.0), (pulls * table).sum(axis=1), atol=1e-12)
    assert_array_equal(run.reward, run.expected)  # what is recorded is its own mean
    with pytest.raises(bq.InvalidInput, match="rounds is 201, but the rewards are known for 200"):
        bq.simulate(bq.UCB1(), problem, 201)


def test_the_benchmark_follows_the_drift():
    after = [0.335, 0.203, 0.241, 0.3, 0.617]
    problem = bq.Problem(MEANS, TARGETS, bq.Drift({501: after}))
    run = bq.simulate(bq.UCB1(), problem, 1000, checkpoints=[500, 1000])
    mix = bq.Problem((MEANS + after) / 2, TARGETS).benchmark().mix  # best for the average means
    assert_allclose(run.benchmark, [500 * mix @ MEANS, 500 * mix @ (MEANS + after)])


def test_playing_the_benchmark_has_no_regret_and_no_shortfall_in_expectation():
    rounds, runs = 2000, 200
    run = bq.simulate(bq.FixedMix(tuple(PROBLEM.benchmark().mix)), PROBLEM, rounds, runs=runs)
    for samples in (run.regret()[:, -1], run.regret(realised=True)[:, -1], *run.shortfall()[:, -1].T):
        error = samples.std(ddof=1) / np.sqrt(runs)
        assert abs(samples.mean()) <= 5 * error  # false alarm: 1 in 1.7 million each


def test_a_bare_learner_plays_alone():
    alone = bq.simulate(bq.TsallisInf(), PROBLEM, 1000, seed=3, arms="all")
    same(alone, bq.simulate(bq.Alone(bq.TsallisInf()), PROBLEM, 1000, seed=3, arms="all"))
    free = bq.Problem(MEANS, np.zeros(5))
    inside = bq.simulate(bq.BanditQ(learner=bq.TsallisInf(), v=1.0), free, 1000, seed=3, arms="all")
    assert_array_equal(alone.played, inside.played)


@pytest.mark.parametrize("feedback", ["bandit", "full"])
def test_without_the_compiler_everything_comes_out_the_same(feedback):
    program = textwrap.dedent(f"""
        import json, banditq as bq
        problem = bq.Problem({MEANS.tolist()}, {TARGETS.tolist()})
        run = bq.simulate(bq.BanditQ({feedback!r}), problem, 200, runs=1, seed=9, checkpoints=20)
        print(json.dumps([getattr(run, name).tolist() for name in {ARRAYS!r}]))
    """)
    environment = {"NUMBA_DISABLE_JIT": "1", "PATH": "", "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    run = bq.simulate(bq.BanditQ(feedback), PROBLEM, 200, runs=1, seed=9, checkpoints=20)
    for name, value in zip(ARRAYS, json.loads(done.stdout), strict=True):
        assert_array_equal(getattr(run, name).ravel(), np.ravel(value), err_msg=name)


def test_memory_does_not_grow_with_the_rounds():
    import tracemalloc

    def peak(rounds):
        tracemalloc.start()
        bq.simulate(bq.UCB1(), PROBLEM, rounds, checkpoints=50)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1000)
    assert peak(400_000) < 1.5 * peak(4000) + 50_000


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rounds": 0}, bq.InvalidInput, "rounds is 0; it must be at least 1"),
        ({"rounds": 2.5}, bq.InvalidInput, "rounds is 2.5; it must be a whole number"),
        ({"rounds": "many"}, bq.InvalidInput, "rounds must be a number, got 'many'"),
        ({"rounds": float("nan")}, bq.InvalidInput, "rounds is nan"),
        ({"runs": 0}, bq.InvalidInput, "runs is 0"),
        ({"seed": -1}, bq.InvalidInput, "seed is -1"),
        ({"jobs": 0}, bq.InvalidInput, "jobs is 0"),
        ({"rounds": 1e19}, bq.InvalidInput, f"rounds is 10000000000000000000; it must be at most {2**53}"),
        ({"rounds": 10**400}, bq.InvalidInput, "rounds is 1000.* it must be at most"),
        ({"runs": 10**9}, bq.InvalidInput, "1,000,000,000 runs .* runs would do"),
        ({"runs": range(10**9)}, bq.InvalidInput, "1,000,000,000 runs .* runs would do"),
        ({"rounds": 10**12, "checkpoints": 10**11}, bq.InvalidInput, "fewer checkpoints"),
        ({"checkpoints": range(1, 10**11)}, bq.InvalidInput, "checkpoints lists 99999999999 numbers"),
        ({"rounds": 10**12, "windows": (10**11,)}, bq.InvalidInput, "shorter windows"),
        ({"windows": 5}, bq.InvalidInput, r"windows is 5; it must be a list of lengths, such as \(1000,\)"),
        ({"problem": None}, bq.InvalidInput, r"problem is None; it must be a bq.Problem\("),
        ({"arms": "some"}, bq.InvalidInput, "arms is 'some'; it must be one of 'protected', 'all'"),
        ({"checkpoints": [5, 11]}, bq.InvalidInput, "checkpoints has 11, but there are 10 rounds"),
        ({"checkpoints": 0}, bq.InvalidInput, "checkpoints is 0"),
        ({"checkpoints": []}, bq.InvalidInput, "checkpoints is empty"),
        ({"windows": (20,)}, bq.InvalidInput, "windows has 20, but there are 10 rounds"),
        ({"windows": (0,)}, bq.InvalidInput, "windows is 0"),
        ({"policy": bq.BanditQ}, bq.InvalidInput, r"write BanditQ\(\)"),
        ({"policy": "banditq"}, bq.InvalidInput, "policy is 'banditq'; it must be a policy such as"),
        ({"problem": bq.Problem([0.5, 0.5], [0.4, 0.2])}, bq.Infeasible, "largest common scaling"),
        ({"problem": bq.Problem([0.0, 0.5], [0.1, 0.2])}, bq.Infeasible, "arm 0 never pays"),
        ({"policy": bq.BanditQ(backlog=(1.0,))}, bq.InvalidInput, "backlog has 1 numbers, but there are 5"),
    ],
)
def test_bad_input_says_what_works(options, error, words):
    arguments = {"policy": bq.BanditQ(), "problem": PROBLEM, "rounds": 10} | options
    with pytest.raises(error, match=words):
        bq.simulate(arguments.pop("policy"), arguments.pop("problem"), arguments.pop("rounds"), **arguments)


def test_the_runs_that_would_do_fit_and_no_more(monkeypatch):
    """The sentence's own number is taken, and one more is refused."""
    memory = sys.modules["banditq.memory"]
    monkeypatch.setattr(memory, "machine_memory", lambda: 30_000_000)
    with pytest.raises(bq.InvalidInput, match="runs would do") as refused:
        bq.simulate(bq.UCB1(), PROBLEM, 2000, runs=100_000, windows=(50,))
    fit = int(re.search(r"([0-9,]+) runs would do", str(refused.value))[1].replace(",", ""))
    run = bq.simulate(bq.UCB1(), PROBLEM, 2000, runs=fit, windows=(50,))
    recorded = sum(getattr(run, name).nbytes for name in ARRAYS)
    assert 30_000_000 / 4 < recorded <= 30_000_000 / 2
    with pytest.raises(bq.InvalidInput, match=f"{fit} runs would do"):
        bq.simulate(bq.UCB1(), PROBLEM, 2000, runs=fit + 1, windows=(50,))


def test_a_great_number_of_checkpoints_is_every_round():
    run = bq.simulate(bq.UCB1(), PROBLEM, 20, checkpoints=10**15)
    assert_array_equal(run.rounds, np.arange(1, 21))


def test_an_interrupted_result_says_what_was_asked_for(monkeypatch):
    """Its V is that of all rounds, though only some were played."""

    def stop(self, rounds, runs):
        if rounds > 10_000:
            raise KeyboardInterrupt

    monkeypatch.setattr(engine.Progress, "show", stop)
    with pytest.warns(bq.InterruptedRun):
        run = bq.simulate(bq.BanditQ(), PROBLEM, 10**10)
    assert run.info["rounds"] == 10**10 > run.rounds[-1]
    assert weight_of(run) == pytest.approx(1e5)


def test_runs_of_different_lengths_are_not_joined():
    """Two that were cut off may look alike, but each had a V of its own."""
    parts = [bq.simulate(bq.UCB1(), PROBLEM, 20, runs=[run], checkpoints=[20]) for run in (0, 1)]
    assert bq.Result.joined(parts).info["rounds"] == 20
    other = replace(parts[1], info=parts[1].info | {"rounds": 30})
    with pytest.raises(bq.InvalidInput, match="parts differ in rounds"):
        bq.Result.joined([parts[0], other])


@pytest.mark.parametrize("policies", [{}, [bq.BanditQ()], bq.BanditQ(), None])
def test_what_is_compared_has_names(policies):
    with pytest.raises(bq.InvalidInput, match=r"policies is .*; it must be a dict by name"):
        bq.compare(policies, PROBLEM, 10)


def test_all_that_is_compared_is_checked_before_any_plays(monkeypatch):
    monkeypatch.setattr(sys.modules["banditq.compare"], "simulate", pytest.fail)
    with pytest.raises(bq.InvalidInput, match=r"write UCB1\(\)"):
        bq.compare({"good": bq.BanditQ(), "bad": bq.UCB1}, PROBLEM, 10)


def test_an_arm_that_never_pays_has_an_infinite_price_and_no_standard_error():
    run = bq.simulate(bq.BanditQ(), bq.Problem([0.0, 0.5], [0.1, 0.2]), 1000, runs=3, allow_infeasible=True)
    total = run.summary().total["priced regret"]  # warnings are errors here
    assert total.value == np.inf
    assert np.isnan(total.error)
    told = run.summary().to_dict()
    assert told["total"]["priced regret"] == {"value": None, "error": None}
    json.dumps(told, allow_nan=False)


def test_infeasible_targets_run_when_asked():
    problem = bq.Problem([0.5, 0.5], [0.4, 0.2])
    run = bq.simulate(bq.BanditQ(), problem, 1000, allow_infeasible=True)
    assert run.benchmark[-1] == pytest.approx(500.0)
    assert run.violation()[-1] > 50.0  # 0.1 a round cannot be paid
