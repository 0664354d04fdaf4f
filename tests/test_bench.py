"""The arithmetic of the benchmark table, and the results of its programs for GPUs; nothing here is timed."""

import functools
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf
from bench import language, picture, stragglers
from bench.cuda import common
from bench.distributed import model, nullstep
from bench.rows import Row, all_rows, compare
from tfcore.gpu import driver
from tfcore.testing.drawing import EFFORT


def row(unit="ms", reference=(3.0, 2.0, 1.0), **options):
    return Row("work", unit, None, reference=reference, **options)


def test_floors_and_ratios_of_times():
    floors = row().floors()
    assert floors == {"tensorflow": 3.0, "torch": 2.0}
    assert row().ratios({"tfcore": 0.5, "tensorflow": 2.0}) == {"tensorflow": 4.0}
    assert row().value(0.25) == 250


def test_floors_and_ratios_of_rates():
    rate = row("GFLOP/s", (100, None, 150), work=3.0)
    assert rate.floors() == {"tensorflow": 1.5}
    assert rate.ratios({"tfcore": 300, "tensorflow": 100}) == {"tensorflow": 3.0}
    assert rate.value(0.5) == 6.0


@pytest.mark.parametrize(
    ("values", "met"),
    [
        ({"tfcore": 1.0, "tensorflow": 3.0, "torch": 2.0}, True),
        ({"tfcore": 1.0, "tensorflow": 2.9, "torch": 2.0}, False),
        ({"tfcore": 1.0, "tensorflow": 3.0, "torch": 1.9}, False),
        ({"tfcore": 2.0, "tensorflow": 6.0, "torch": 4.0}, True),  # the ratios decide
        ({"tfcore": 1.0}, True),
        ({"tfcore": 1.1}, False),
    ],
)
def test_when_a_row_is_met(values, met):
    assert row().is_met(values) is met


def test_results_are_compared():
    errors = compare(row(), {"tfcore": [1.0, 2.0], "torch": [1.0, 2.001]})
    assert errors["tfcore"] == 0
    assert errors["torch"] == pytest.approx(0.0005)
    with pytest.raises(ValueError, match="result of torch is wrong"):
        compare(row(), {"tfcore": [1.0, 2.0], "torch": [1.0, 2.1]})
    with pytest.raises(ValueError, match="result of tfcore is wrong"):
        compare(row(expected=lambda: [5.0]), {"tfcore": [4.0]})
    with pytest.raises(ValueError, match="is wrong"):
        compare(row(), {"tfcore": [1.0], "torch": [np.nan]})
    with pytest.raises(ValueError, match="shape"):
        compare(row(), {"tfcore": [1.0], "torch": [1.0, 1.0]})


def test_rows_have_distinct_names_and_positive_floors():
    rows = all_rows()
    assert len({r.name for r in rows}) == len(rows) == 15
    for r in rows:
        assert r.floors()
        assert all(floor > 0 for floor in r.floors().values())
        assert r.less_is_better or r.work > 0


def test_a_row_without_a_reference_reaches_anything():
    free = Row("work", "us", None)
    assert free.is_met({"tfcore": 1.0, "torch": 0.1}) and not free.floors()
    assert free.ratios({"tfcore": 1.0, "torch": 0.5}) == {"torch": 0.5}


# ---- GPUs


def run_cuda(*arguments, **variables):
    environment = {**os.environ, "TFCORE_EMULATE_GPUS": "0", **variables}
    command = [sys.executable, "-m", "bench.cuda", *arguments]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(importlib.util.find_spec("pycuda") is None, reason="PyCUDA is not installed")
def test_programs_for_gpus_compute_what_numpy_does():
    only, count = ("", 22) if EFFORT > 1 else (" of ", 6)  # all take a minute
    done = run_cuda("--emulated", "--only", only)
    first, *lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout + done.stderr
    assert first.startswith("An emulated GPU: ")
    assert len(lines) == count and all(line.endswith(": right") for line in lines)


def test_a_missing_pycuda_is_named(tmp_path):
    (tmp_path / "pycuda.py").write_text("raise ModuleNotFoundError('hidden', name='pycuda')")
    done = run_cuda("--emulated", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2 and "python -m tfcore.gpu.install_pycuda" in done.stdout


def test_the_time_of_a_kernel_is_that_of_the_difference_of_two_chains():
    took = {common.SHORT: iter([9.0] * common.REPEATS + [3.0]), common.LONG: iter([9.0] * common.REPEATS + [7.0])}
    per_kernel = 4e-3 / (common.LONG - common.SHORT)
    assert common.of_one(*[functools.partial(next, times) for times in took.values()]) == pytest.approx(per_kernel)


@pytest.mark.skipif(driver.may_be_there() and not driver.emulation_is_wanted(), reason="there may be a GPU")
def test_without_a_gpu_nothing_is_measured():
    done = run_cuda("--only", "add")
    assert done.returncode == 2 and done.stdout.startswith("No GPU: ") and done.stdout.count("\n") == 1


# ---- Null steps of several tasks


@pytest.mark.parametrize("kind", nullstep.KINDS)
def test_null_steps_fetch_what_they_say_and_count_themselves(kind, monkeypatch):
    dense = {"dense 16 MB": 16 * 10**6, "dense 100 MB": 10**8, "dense 1 GB": 10**9}
    assert nullstep.bytes_moved(kind) == {"scalar": 4, "sparse": 2**15, **dense}[kind]
    monkeypatch.setattr(nullstep, "ROWS", 50)
    small = {k: v and (v[0], v[1] and [7, 3]) for k, v in nullstep.KINDS.items()}
    monkeypatch.setattr(nullstep, "KINDS", small)
    with tf.Graph().as_default(), tf.Session() as sess:
        null = nullstep.NullStep(tf, kind, 0, "")
        sess.run(null.initialize)
        assert sess.run(null.missing).size == 0 and sess.run(null.updates) == 0
        for _ in range(3):
            sess.run(null.step)
        assert sess.run(null.updates) == 3 * null.for_step


@pytest.mark.parametrize(("kind", "parameters"), [("scalar", 2), ("sparse", 2), ("dense 100 MB", 10)])
def test_null_steps_compute_at_the_worker(kind, parameters):
    with tf.Graph().as_default() as graph:
        null = nullstep.NullStep(tf, kind, 2, "/job:worker/task:1")
    assert sorted({v.device for v in null.variables}) == ["/job:ps/task:0", "/job:ps/task:1"]
    assert len(null.variables) == parameters
    assert {op.device for op in graph.get_operations() if op.type == "Sign"} == {"/job:worker/task:1"}


def test_the_model_of_queues():
    assert model.step_times(2.0, [], 3) == [2.0, 2.0, 2.0]
    assert model.step_times(0.0, [0.5], 4) == pytest.approx([0.5, 1.0, 1.5, 2.0])  # one station: all wait for all
    # Two customers, think time 1, service 1: the second meets the first at the station half of the time.
    assert model.step_times(1.0, [1.0], 2) == pytest.approx([2.0, 2.5])
    many = model.step_times(1.0, [0.1, 0.02], 300)
    assert many == sorted(many)
    assert many[-1] == pytest.approx(300 * 0.1, rel=0.02)  # the slowest station decides


def test_the_model_is_fitted_to_what_was_measured():
    times = model.step_times(0.3, [0.7], 8)
    points = {n: {"time": times[n - 1], "server_cpu": 0.2, "worker_cpu": 0.1} for n in (1, 2, 4, 8)}
    costs = model.Costs(points, servers=2, moved=1000)
    assert costs.error() < 0.01 and costs.shared == pytest.approx(0.7, abs=0.01)
    assert costs.here(8) == pytest.approx(times, rel=0.01)
    cluster = costs.cluster(200, (0.05, 1e4))
    # One step alone: what it took here, a round trip, and half of the bytes each way.
    assert cluster[0] == pytest.approx(1.0 + 0.05 + 2 * 0.05)
    assert cluster[-1] == pytest.approx(200 * 0.1, rel=0.01)  # a server's processor time is the bottleneck


def test_table_of_language_models():
    runs = []

    def measure(*run):
        runs.append(run)
        return {"full": 100, "sampled": 250}[run[0]]

    lines = list(language.table([1, 2], [1, 4], measure))
    assert [line.split()[:5] for line in lines[1:]] == [
        [servers, workers, "100", "250", "2.5"]
        for servers, workers in [("-", "1"), ("1", "1"), ("1", "4"), ("2", "1"), ("2", "4")]
    ]
    assert runs[:2] == [("full", 0, 1), ("sampled", 0, 1)] and len(runs) == 10
    assert language.call("full", 0, 1, 5, None)[-2:] == ["--evaluate", "0"]


# ---- Backup workers


def test_simulated_steps_take_as_long_as_the_slowest_needed_worker():
    steps = stragglers.simulate(3, 0, [2.0], 0.5, steps=20)
    assert len(steps) == 20 and np.allclose(steps, 2.5)
    rng = np.random.default_rng(0)
    times = np.where(rng.random(10_000) < 0.05, 10.0, 1.0)
    alone = stragglers.simulate(1, 0, times, 0.0, steps=5000).mean()
    assert alone == pytest.approx(times.mean(), rel=0.1)
    slowest = stragglers.simulate(20, 0, times, 0.0, steps=5000).mean()
    assert slowest == pytest.approx(10 - 9 * 0.95**20, rel=0.05)


def test_simulated_backup_workers_shorten_steps():
    times = np.concatenate([np.full(95, 1.0), np.full(5, 10.0)])
    found = stragglers.sweep(20, range(5), times, 0.0, 2000)
    means = [found[b].mean() for b in range(5)]
    assert means == sorted(means, reverse=True) and means[4] < means[0] / 2
    assert stragglers.speed_ups(20, {0: 4.0, 5: 2.0}) == {0: 1.0, 5: 1.6}


def test_injected_delays_are_those_that_were_asked_for():
    class Options:
        seed, compute, noise, rate, slow = 1, 0.01, 0.0, 0.1, 5.0

    waits = stragglers.delays(Options, worker=2)
    found = np.array([next(waits) for _ in range(20_000)])
    slow = found[found > 0.01]
    assert len(slow) / len(found) == pytest.approx(0.1, rel=0.1)
    assert slow.mean() == pytest.approx(0.05, rel=0.1)


def test_the_picture_has_medians_of_what_both_libraries_ran(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'tfcore[plot]')")
    rows = [{"row": "empty run", "unit": "us", "values": {"tfcore": t, "tensorflow": 40.0}} for t in (0.2, 0.25, 9.0)]
    alone = {"row": "feed and fetch a scalar", "unit": "us", "values": {"tfcore": 1.0}}
    head = {"machine": {"processor": "Some processor", "cores": 2}, "time": "2026-11-28T12:00:00Z"}
    runs = [{**head, "rows": [row, alone]} for row in rows]
    assert picture.times(runs) == {"empty run": {"tfcore": 0.25, "tensorflow": 40.0}}
    picture.draw(runs, tmp_path / "speed.svg")
    drawn = (tmp_path / "speed.svg").read_text()
    for text in ("0.25 µs", "40 µs  (160 x)", "Some processor, 2 cores, 2026-11-28", picture.GREY):
        assert text in drawn
    assert "scalar" not in drawn and "#ffffff" not in drawn
    with pytest.raises(ValueError, match="no step was measured with both"):
        picture.draw([{**head, "rows": [alone]}], tmp_path / "speed.svg")


def test_the_picture_knows_the_rows_of_steps():
    assert {row.name for row in all_rows()} >= set(picture.STEPS)
