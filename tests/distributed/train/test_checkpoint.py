"""Savers and object-based checkpoints on a cluster: each parameter server writes and reads its own shard."""

import os

import pytest

from tests.distributed import mpi
from tests.distributed.cluster.test_session import cluster

MODEL = """
    import json, os
    folder = FOLDER
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        variables = [tf.Variable(tf.fill([50, 4], float(i)), name=f"v{i}") for i in range(4)]
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2)):
            parts = tf.get_variable("parts", [6, 3], initializer=tf.ones_initializer())
        step = tf.train.get_or_create_global_step()
    assert len({v.device for v in variables}) == 2
    saver = tf.train.Saver(sharded=SHARDED)
    objects = tf.train.Checkpoint(variables=variables, parts=parts)
    session = tf.Session(server.target)
"""


@pytest.mark.parametrize("sharded", [False, True])
def test_saved_and_restored_by_another_cluster(sharded, tmp_path):
    head = MODEL.replace("FOLDER", repr(str(tmp_path))).replace("SHARDED", str(sharded))
    cluster(
        head
        + """
    session.run(tf.global_variables_initializer())
    session.run([v.assign_add(tf.ones([50, 4])) for v in variables] + [step.assign_add(7)])
    path = saver.save(session, folder + "/m", global_step=step)
    assert path == folder + "/m-7", path
    writes = [op for op in tf.get_default_graph().get_operations() if op.type == "SaveV2"]
    assert len(writes) == (2 if SHARDED else 1)
    assert not SHARDED or {op.device for op in writes} == {
        "/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0"}, [op.device for op in writes]
    assert objects.write(folder + "/objects/o", session) == folder + "/objects/o"
    """.replace("SHARDED", str(sharded)),
        ranks=3,
        ps=2,
    )
    shards = 2 if sharded else 1
    names = [f"m-7.data-{i:05d}-of-{shards:05d}" for i in range(shards)]
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", *names, "m-7.index", "m-7.meta", "objects"]
    written = sorted(os.listdir(tmp_path / "objects"))
    assert written == ["o.data-00000-of-00002", "o.data-00001-of-00002", "o.index"]
    cluster(
        head
        + """
    saver.restore(session, tf.train.latest_checkpoint(folder))
    for i, value in enumerate(session.run(variables)):
        assert (value == i + 1).all()
    assert session.run(step) == 7 and (session.run(tf.convert_to_tensor(parts)) == 1).all()
    session.run(tf.global_variables_initializer())
    objects.restore(folder + "/objects/o").assert_nontrivial_match().run_restore_ops(session)
    assert all((value == i + 1).all() for i, value in enumerate(session.run(variables)))
    """,
        ranks=3,
        ps=2,
    )


def test_a_save_that_fails_leaves_the_checkpoint_before(tmp_path):
    """The checkpoint before stays the latest one."""
    head = MODEL.replace("FOLDER", repr(str(tmp_path))).replace("SHARDED", "True")
    cluster(
        head
        + """
    session.run(tf.global_variables_initializer())
    first = saver.save(session, folder + "/m", global_step=1)
    os.mkdir(folder + "/n-2.index")  # where the merge has to put a file
    fails(tf.errors.FailedPreconditionError, lambda: saver.save(session, folder + "/n", global_step=2), "n-2.index")
    assert tf.train.latest_checkpoint(folder) == first
    saver.restore(session, first)
    """,
        ranks=3,
        ps=2,
    )


@pytest.mark.parametrize("in_background", [False, True])
def test_a_save_in_the_background_is_one_in_all_tasks(in_background, tmp_path):
    """A server saves in the background at the lowest priority."""
    program = """
    import os, threading, time
    import tfcore as tf

    SPARED = FOLDER + "/spared"

    def name_of(thread):
        try:
            return open(f"/proc/self/task/{thread}/comm").read().strip()
        except OSError:  # it has ended
            return None

    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        def look():
            while "tfcore-niced" not in [name_of(thread) for thread in os.listdir("/proc/self/task")]:
                time.sleep(0.0005)
            open(SPARED, "w").close()

        threading.Thread(target=look, daemon=True).start()
        server.join()
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([1 << 20]), name="v")
    add, saver = v.assign_add(tf.ones([1 << 20])).op, tf.train.Saver(sharded=True)
    with tf.Session(server.target) as session:
        session.run(tf.global_variables_initializer())
        session.run(add)
        for _ in range(20):
            save = threading.Thread(target=saver.save, args=(session, FOLDER + "/m"), kwargs={"in_background": MODE})
            save.start()
            while save.is_alive():
                session.run(add)
            value = tf.train.NewCheckpointReader(FOLDER + "/m").get_tensor("v")
            assert (value == value[0]).all() and value[0] >= 1
            if os.path.exists(SPARED) or not MODE:
                break
    """
    job = mpi.run(program.replace("FOLDER", repr(str(tmp_path))).replace("MODE", str(in_background)), 2)
    assert job.code == 0 and os.path.exists(tmp_path / "spared") == in_background, job.text


# Each server has a variable, and server ps/BLOCKED an element of a queue to save: it waits for one.
BLOCKED = """
    import os
    from tfcore.train.checkpoints.saver_builder import BaseSaverBuilder

    folder = FOLDER
    variables, adds = [], []
    for task in range(2):
        with tf.device(f"/job:ps/task:{task}"):
            variables.append(tf.Variable(tf.zeros([1000]), name=f"v{task}", use_resource=task == 1))
            adds.append(variables[-1].assign_add(tf.ones([1000])).op)
    with tf.device("/job:ps/task:0"):
        step = tf.train.get_or_create_global_step()
    with tf.device("/job:ps/task:BLOCKED"):
        queue = tf.FIFOQueue(9, tf.float32, shapes=[[]], shared_name="queue")
        element, let = queue.dequeue(), queue.enqueue(7.0)

    class Element(BaseSaverBuilder.SaveableObject):
        def restore(self, restored_tensors, restored_shapes):
            return tf.no_op()

    gate, in_time = threading.Event(), []
    gate.set()

    class Gate(tf.train.Saver):
        def export_meta_graph(self, *args, **kwargs):  # the end of a save
            in_time.append(gate.wait(60))
            return super().export_meta_graph(*args, **kwargs)

    one = Element(element.op, [BaseSaverBuilder.SaveSpec(element, "", "element")], "element")
    saver = Gate([*variables, step, one], sharded=True)
    with tf.control_dependencies(adds):
        train = tf.assign_add(step, 1)
    initialize = tf.global_variables_initializer()
    other = tf.Session(server.target)

    def wait_for_file(number, task):
        # Its server has begun to save.
        while True:
            for name in os.listdir(folder):
                if name.startswith(f"model.ckpt-{number}_temp_"):
                    if any(part.startswith(f"part-0000{task}-") for part in os.listdir(os.path.join(folder, name))):
                        return
            time.sleep(0.002)

    def saved(number):
        reader = tf.train.NewCheckpointReader(f"{folder}/model.ckpt-{number}")
        values = [np.unique(reader.get_tensor(f"v{task}")).tolist() for task in range(2)]
        return [*sum(values, []), int(reader.get_tensor("global_step"))]
"""


def blocked(program, tmp_path, server):
    head = BLOCKED.replace("FOLDER", repr(str(tmp_path))).replace("BLOCKED", str(server))
    cluster(head + program, ranks=3, ps=2)


def test_training_goes_on_when_all_servers_have_fixed_what_they_save(tmp_path):
    blocked(
        """
    returned, found = threading.Event(), []

    def let_it():
        wait_for_file(3, 0)
        found.append(returned.wait(0.3))
        other.run(let)

    thread = threading.Thread(target=let_it)
    hook = tf.train.CheckpointSaverHook(folder, save_steps=3, saver=saver, in_background=True)
    other.run(let)  # for the first checkpoint
    scaffold = tf.train.Scaffold(init_op=initialize)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold, server.target), [hook]) as sess:
        sess.run(train)
        sess.run(train)
        gate.clear()
        thread.start()
        sess.run(train)
        returned.set()
        for _ in range(2):
            sess.run(train)
        gate.set()
        thread.join()
        other.run(let)  # for the last one
    assert found == [False], "the session continued before server 1 had begun"
    assert in_time == [True] * 3, "the session waited for the end of the save"
    assert [saved(n) for n in (0, 3, 5)] == [[0, 0, 0], [3, 3, 3], [5, 5, 5]], [saved(n) for n in (0, 3, 5)]
    """,
        tmp_path,
        server=1,
    )


def test_the_global_step_counts_no_update_that_is_not_saved(tmp_path):
    """Others train while the servers save, each at its own time, that of the step last."""
    blocked(
        """
    other.run(initialize)
    thread = threading.Thread(target=saver.save, args=(other, folder + "/model.ckpt"), kwargs={"global_step": 0})
    thread.start()
    wait_for_file(0, 1)
    with tf.Session(server.target) as sess:
        for _ in range(5):
            sess.run(train)
        sess.run(let)
    thread.join()
    assert saved(0) == [5, 0, 0], saved(0)
    """,
        tmp_path,
        server=0,
    )
