"""Workers that take shards of an input, killed in the middle of one, and started again."""

import collections
import re

import pytest

from tests.distributed.membership.test_restart import Cluster

pytestmark = pytest.mark.cpu

# Worker 0 waits in its first shard until worker 1 was killed, which waits for that in its second one.
INPUT = """
if me[0] == "ps":
    server.join()

def wait_for(name):
    while not os.path.exists(sys.argv[1] + "." + name):
        time.sleep(0.01)

SHARDS, SIZE, EPOCHS = 8, 5, 2
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{me[1]}")):
    dataset = tf.contrib.data.dynamic_shards(
        lambda n, i: tf.data.Dataset.range(i * SIZE, (i + 1) * SIZE).prefetch(2), SHARDS, server, EPOCHS
    )
    with tf.device(f"/job:worker/task:{me[1]}"):
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    step = tf.assign_add(tf.train.get_or_create_global_step(), 1)
with tf.train.MonitoredTrainingSession(
    server.target, me[1] == 0, sys.argv[1] + ".checkpoints", save_checkpoint_steps=7
) as sess:
    done = 0
    while not sess.should_stop():
        value, _ = sess.run([element, step])
        print(f"read {value}", flush=True)
        done += 1
        if me[1] == 0 and done == 3:
            wait_for("killed")
        if me[1] == 1 and life == 0 and done == SIZE + 3:
            print("in the middle", flush=True)
            wait_for("never")
print("all read", flush=True)
"""


def elements(text, name):
    return [int(n) for n in re.findall(rf"^{name}\| read (\d+)$", text, re.M)]


def read_all(tmp_path, restart, before_going_on):
    """What the tasks print when worker 1 is killed in the middle of its second shard.

    before_going_on: what must happen before worker 0 goes on, a function of the Cluster and the number of elements that
      worker 1 had read.
    """
    with Cluster(tmp_path, INPUT, 1, 2, restart=restart) as cluster:
        cluster.see("worker 0", "read", 3)  # or it would take worker 1's
        cluster.see("worker 1", "in the middle")
        first = elements(cluster.job.text, "worker 1")
        cluster.kill("worker 1")
        before_going_on(cluster, len(first))
        (tmp_path / "stop.killed").touch()
        cluster.see("worker 0", "all read")
        text = cluster.end(0 if restart else 137).text
    counts = collections.Counter(elements(text, "worker 0") + elements(text, "worker 1"))
    twice = [n for n in range(40) if counts[n] == 3]
    assert sorted(counts) == list(range(40)) and sum(counts.values()) == 83
    assert twice == sorted(first[5:])  # what it had read of the shard that it had not finished
    return text


def test_the_others_read_what_a_dead_worker_has_not_finished(tmp_path):
    text = read_all(tmp_path, 0, lambda cluster, n: None)
    assert len(elements(text, "worker 0")) == 75


def test_a_worker_that_comes_back_takes_part_again(tmp_path):
    text = read_all(tmp_path, 1, lambda cluster, n: cluster.see("worker 1", "read", n + 7))
    theirs = elements(text, "worker 1")
    assert theirs[8:13] == [n for n in range(40) if n // 5 == theirs[5] // 5]  # its shard, from the beginning
