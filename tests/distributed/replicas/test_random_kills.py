"""A few of the kills of random_kills.py, and whether its checks find what is wrong.

TFCORE_TEST_SEED=7 draws other kills; `python -m tests.distributed.replicas.random_kills` makes hundreds.
"""

import os
import random

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import mpi
from tests.distributed.replicas import legal_states, random_kills, surviving

pytestmark = pytest.mark.cpu
SEED = int(os.environ.get("TFCORE_TEST_SEED", "1"))


def test_random_kills():
    mpi.require_survivors()
    random_kills.run(random_kills.draw(SEED, 0, "alone", kills=2))


def test_random_kills_of_a_server_with_replicas():
    """It takes its variables from them; a training whose checkpoint is restored fails."""
    mpi.require_survivors()
    rng = random.Random(SEED)
    kill = random_kills.Kill((rng.randrange(2),), "save", rng.uniform(0.0, 0.5), rng.uniform(0.0, 1.2))
    random_kills.run(random_kills.Plan("alone", (kill,), in_background=True, replicas=2, transport=""))


def test_a_seed_stands_for_the_same_kills():
    plans = [random_kills.draw(seed, number) for seed in (1, 2, 1) for number in range(20)]
    assert plans[:20] == plans[40:] != plans[20:40]
    kills = [kill for plan in plans for kill in plan.kills]
    assert {kill.when for kill in kills} == {"rest", "save", "restore"}
    assert {len(kill.victims) for kill in kills if kill.victims != random_kills.EVERYTHING} == {1, 2}
    assert sum(kill.victims == random_kills.EVERYTHING for kill in kills) > 50
    assert {rank for kill in kills if kill.victims != random_kills.EVERYTHING for rank in kill.victims} == set(range(5))
    assert {plan.mode for plan in plans} == set(legal_states.MODES)
    assert {(plan.in_background, plan.transport) for plan in plans} == {
        (yes, transport) for yes in (False, True) for transport in ("", "mpi", "tcp")
    }
    with_replicas = [kill for number in range(20) for kill in random_kills.draw(1, number, replicas=2).kills]
    assert {kill.loses_variables for kill in with_replicas if kill.when == "restore"} == {True}
    assert {kill.victims for kill in with_replicas if not kill.loses_variables} >= {(0,), (1,), (2,), (0, 0), (1, 1)}


# ---- The checks: two servers (ranks 0 and 1) and one worker (rank 2, process 12), which is the chief


class Written:
    """Logs and checkpoints as if processes had written them."""

    def __init__(self, folder):
        self.folder = str(folder)
        os.makedirs(folder / "logs")
        os.makedirs(folder / "checkpoints")
        self.write(12, 1.0, "born")
        self.write(12, 2.0, "initialized")
        self.logs = legal_states.Logs(self.folder, 2, 1)
        self.checkpoints = legal_states.Checkpoints(self.folder, self.logs, "alone")

    def write(self, pid, *words, rank=2):
        with open(os.path.join(self.folder, "logs", f"{rank}.{pid}.log"), "a", encoding="utf-8") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def attempt(self, begin, end=None, step=None, pid=12):
        self.write(pid, begin, "begin")
        if end is not None:
            self.write(pid, end, "end", step)

    def path(self, step):
        return os.path.join(self.folder, "checkpoints", f"model.ckpt-{step}")

    def save(self, begin, end, updates, pid=12, change=lambda values: None):
        """Saves a checkpoint that has so many updates of each variable."""
        step = updates
        if begin is not None:
            self.write(pid, begin, "save", self.path(step))
        values = {"global_step": np.int64(step)}
        for server in range(2):
            values[f"fixed{server}"] = np.full(surviving.FIXED, server + 1.0)
            for name, shape in (f"dense{server}", [surviving.DENSE]), (f"rows{server}", [1, surviving.ROW]):
                values[name] = np.full(shape, updates * (updates + 1) / 2)
                values[f"{name}/Momentum"] = np.full(shape, float(updates))
        change(values)
        with tf.Graph().as_default(), tf.Session() as sess:
            saver = tf.train.Saver({name: tf.Variable(value) for name, value in values.items()})
            sess.run(tf.global_variables_initializer())
            saver.save(sess, self.path(step).rpartition("-")[0], global_step=step, write_meta_graph=False)
        if end is not None:
            self.write(pid, end, "saved", self.path(step))

    def check(self):
        try:
            self.logs.read()
            self.checkpoints.note_bases()
            self.checkpoints.check(at_rest=True)
            self.checkpoints.check_steps()
        finally:
            self.logs.close()


@pytest.fixture
def written(tmp_path):
    return Written(tmp_path)


def refuses(written, text):
    with pytest.raises(legal_states.IllegalStateError, match=text):
        written.check()


@pytest.mark.parametrize(("updates", "is_legal"), [(1, False), (2, True), (3, True), (4, False)])
def test_updates_that_were_acknowledged_or_attempted(written, updates, is_legal):
    written.attempt(3.0, 3.1, 1)
    written.attempt(3.2)  # it fails
    written.attempt(3.3, 3.4, 2)
    written.save(4.0, 4.1, updates)
    if is_legal:
        written.check()
        assert (written.checkpoints.read, written.checkpoints.unreported) == (1, 0)
    else:
        refuses(written, rf"server 1, worker 0: {updates} updates, and not 2 to 3")


@pytest.mark.parametrize(("updates", "is_legal"), [(1, False), (2, True), (3, False)])
def test_updates_since_the_variables_were_restored(written, updates, is_legal):
    written.attempt(3.0, 3.1, 1)
    written.save(3.2, 3.3, 1)
    written.attempt(3.4, 3.5, 2)  # it is undone
    written.write(22, 5.0, "born")
    written.write(22, 6.0, "restore", written.path(1))
    written.write(22, 6.2, "restored", written.path(1))
    written.attempt(6.4, 6.5, 2, pid=22)
    written.save(7.0, 7.1, updates, pid=22)
    if is_legal:
        written.check()
    else:
        refuses(written, f"{updates} updates, and not 2 to 2")


def more_on(server, updates):
    """A change to a checkpoint: one server's variables have so many updates."""

    def change(values):
        for name in f"dense{server}", f"rows{server}":
            values[name][:] = updates * (updates + 1) / 2
            values[f"{name}/Momentum"][:] = updates

    return change


@pytest.mark.parametrize(
    ("fails", "step", "updates", "text"),
    [
        (True, 1, 2, None),  # the attempt that failed has updated one server only
        (True, 1, 3, "server 1: 3 updates, and not 1 to 2"),
        (True, 2, 1, "2 steps were counted, and 1 are on all servers"),
        (False, 2, 1, "server 1: 1 updates, and not 2 to 2"),
        (False, 2, 3, "server 1: 3 updates, and not 2 to 2"),
    ],
)
def test_servers_differ_only_by_attempts_that_failed(written, fails, step, updates, text):
    written.attempt(3.0, 3.1, 1)
    if fails:
        written.attempt(3.2)
        written.write(12, 3.3, "session")
    else:
        written.attempt(3.2, 3.3, 2)
    written.save(4.0, 4.1, step, change=more_on(1, updates))
    if text is None:
        written.check()
        assert written.checkpoints.apart == 1
    else:
        refuses(written, text)


@pytest.mark.parametrize("dies", [False, True])
def test_a_server_may_count_a_step_that_its_neighbour_has_lost(written, dies):
    """It died before its backup had the update. Without a death nothing is lost."""
    written.checkpoints._replicas = True
    written.write(10, 1.0, "born", rank=0)
    written.attempt(3.0, 3.1, 1)
    written.attempt(3.2)
    if dies:
        written.write(20, 3.5, "born", rank=0)
    written.save(4.0, 4.1, 2, change=more_on(0, 1))
    if dies:
        written.check()
    else:
        refuses(written, "2 steps were counted, and 1 are on all servers")


@pytest.mark.parametrize(("updates", "is_legal"), [(1, True), (2, False)])
def test_a_checkpoint_in_the_background_has_nothing_later(written, updates, is_legal):
    written.attempt(3.0, 3.1, 1)
    written.write(12, 3.2, "save", written.path(1))
    written.attempt(3.3, 3.4, 2)
    written.save(None, None, 1, change=lambda values: [more_on(server, updates)(values) for server in range(2)])
    written.write(12, 3.5, "saved", written.path(1))
    written.attempt(3.6, 3.7, 3)
    if is_legal:
        written.check()
    else:
        refuses(written, "server 0: 2 updates, and not 1 to 1")


def test_the_states_of_replicas(written):
    training = random_kills.Training.__new__(random_kills.Training)
    training.logs, training._started = written.logs, 0.5

    def lacking():
        written.logs.read()
        return training.without_replicas()

    for rank, pid in (0, 10), (1, 11):
        written.write(pid, 1.0, "born", rank=rank)
        written.write(pid, 1.5, "incarnation", 100 + pid, rank=rank)
    assert lacking() == [0, 1]
    for rank, pid, backup in (0, 10, 111), (1, 11, 110):
        written.write(pid, 1.6, "replicas", backup, "copying", rank=rank)
        assert lacking() == [0, 1][rank:]
        written.write(pid, 1.7, "replicas", backup, "on", rank=rank)
    assert lacking() == []
    written.write(20, 2.0, "born", rank=0)
    assert lacking() == [0, 1]
    written.write(20, 2.1, "incarnation", 120, rank=0)
    written.write(20, 2.2, "replicas", 111, "on", rank=0)
    assert lacking() == [1]  # what it says is about the process before
    written.write(11, 2.3, "replicas", 120, "on", rank=1)
    assert lacking() == []
    written.logs.close()


def test_a_checkpoint_that_was_complete_before_it_was_reported(written):
    written.attempt(3.0, 3.1, 1)
    written.save(3.2, None, 1)
    written.check()
    assert written.checkpoints.unreported == 1


def test_a_checkpoint_that_is_not_the_latest_but_was_reported(written):
    for step in 1, 2:
        written.attempt(step + 2.0, step + 2.1, step)
        written.save(step + 2.2, step + 2.3, step)
    tf.train.update_checkpoint_state(os.path.join(written.folder, "checkpoints"), written.path(1))
    refuses(written, "was reported, and the latest checkpoint, .*model.ckpt-1, has step 1")


def test_a_checkpoint_that_is_damaged(written):
    written.save(3.0, 3.1, 0)
    (name,) = [name for name in os.listdir(written.checkpoints.folder) if ".data-" in name]
    with open(os.path.join(written.checkpoints.folder, name), "r+b") as file:
        file.seek(100_000)
        file.write(b"x")
    refuses(written, "model.ckpt-0 is damaged")


def test_a_checkpoint_that_nobody_has_written(written):
    written.save(3.0, 3.1, 0)
    for name in os.listdir(written.checkpoints.folder):
        if name != "checkpoint":
            old = os.path.join(written.checkpoints.folder, name)
            os.rename(old, old.replace("ckpt-0", "ckpt-5"))
    tf.train.update_checkpoint_state(written.checkpoints.folder, written.path(5))
    refuses(written, "model.ckpt-5: nobody has written it")


@pytest.mark.parametrize(
    ("name", "index", "text"),
    [
        ("dense1", 70, "dense1 is torn"),
        ("rows0/Momentum", (0, 3), "rows0 is torn"),
        ("fixed1", 9, "fixed1 is "),
        ("dense0", slice(None), r"dense0 is 7\.0 after 0\.0 updates"),
    ],
)
def test_a_variable_that_is_wrong(written, name, index, text):
    def change(values):
        values[name][index] = 7.0

    written.save(3.0, 3.1, 0, change=change)
    refuses(written, text)


@pytest.mark.parametrize("step", [0, 2])
def test_a_global_step_that_is_wrong(written, step):
    written.attempt(3.0, 3.1, step)
    refuses(written, f"the global step: {step} updates, and not 1 to 1")


def test_a_global_step_before_one_that_was_saved(written):
    written.attempt(3.0, 3.1, 1)
    written.save(3.2, 3.3, 1)
    written.attempt(3.4, 3.5, 0)
    refuses(written, r"step 0, and \(3\.3, 1\) was saved")


@pytest.mark.parametrize("passed", [0, 1])
def test_servers_that_differ_in_synchronous_training(written, passed):
    """By no more than the steps that were made while the checkpoint was saved, and one."""

    def change(values):
        values["dense1/Momentum"][:] += 2.0

    written.checkpoints._mode = "synchronous"
    written.attempt(2.5, 2.6, 4)
    written.save(3.0, 3.1, 4, change=change)
    written.attempt(3.2, 3.3, 4 + passed)
    if passed:
        written.check()
    else:
        refuses(written, "the counts differ by more than 1")
