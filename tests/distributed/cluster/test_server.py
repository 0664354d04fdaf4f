"""tf.train.Server: what it is made of, how a cluster starts, is joined and ends."""

import os

import pytest

import tfcore as tf
from tests.distributed import mpi
from tfcore.distributed.task.task import agree

TWO = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}


def make(*args, **options):
    return tf.train.Server(*args, start=False, **options)


def test_own_task_by_rank_and_by_name():
    assert (make({"worker": ["a:1"]}).server_def.job_name, make({"worker": ["a:1"]}).server_def.task_index) == (
        "worker",
        0,
    )
    assert make(TWO).server_def.job_name == "ps"  # this process has rank 0
    assert make(TWO, "worker", 1).server_def.task_index == 1
    assert make(TWO, "ps").server_def.task_index == 0
    assert make({"worker": {3: "a:1"}}).server_def.task_index == 3
    with pytest.raises(ValueError, match="explicit `task_index`: rank 0 is /job:ps/task:0, not of job 'worker'"):
        make(TWO, "worker")


def test_server_def():
    config = tf.ConfigProto(intra_op_parallelism_threads=3)
    server = make(TWO, "worker", 1, protocol="grpc", config=config)
    assert server.server_def.protocol == "grpc" and server.server_def.default_session_config is config
    assert server.server_def.cluster == tf.train.ClusterSpec(TWO).as_cluster_def() and server.target == "mpi://0"
    again = make(server.server_def, task_index=0)
    assert (again.server_def.job_name, again.server_def.task_index) == ("worker", 0)
    assert again.server_def.default_session_config is config and again.cluster_spec == server.cluster_spec
    cluster_def = tf.train.ClusterSpec(TWO).as_cluster_def()
    assert make(cluster_def, "ps", 0).cluster_spec == server.cluster_spec
    by_hand = tf.train.ServerDef(TWO, job_name="ps", task_index=0)
    assert make(by_hand).server_def.job_name == "ps"


def test_bad_arguments():
    with pytest.raises(TypeError, match="Could not convert `server_or_cluster_def`"):
        make(["a:1"])
    with pytest.raises(ValueError, match="No such job in cluster: 'chief'"):
        make(TWO, "chief", 0)
    with pytest.raises(ValueError, match="No task with index 2 in job 'worker'"):
        make(TWO, "worker", 2)
    with pytest.raises(tf.errors.NotFoundError, match="No server factory registered for .*'carrier pigeon'"):
        make(TWO, "ps", 0, protocol="carrier pigeon")


def spec(jobs):
    return tf.train.ClusterSpec(jobs)


def test_processes_agree():
    everybody = [("worker", 1), ("ps", 0), ("worker", 0)]
    assert agree(everybody, {0: spec(TWO)}) == everybody
    parts = {0: spec({"ps": ["a:1"]}), 1: spec({"ps": ["a:1"], "worker": {"7": "b:1"}})}
    assert agree([("ps", 0), ("worker", 7)], parts) == [("ps", 0), ("worker", 7)]


@pytest.mark.parametrize(
    "tasks, specs, text",
    [
        (
            [("ps", 0), ("worker", 0)],
            {0: TWO, 1: {"ps": ["z:1"], "worker": ["b:1"]}},
            "The processes disagree about the cluster: /job:ps/task:0 is 'a:1' for rank 0, but 'z:1' for rank 1",
        ),
        ([("ps", 0), ("ps", 0)], {0: TWO}, "Rank 0 and rank 1 both are /job:ps/task:0"),
        ([("ps", 0)], {0: {"ps": ["mpi:1"]}}, "/job:ps/task:0 has rank 1 in the cluster, but rank 0 started"),
        (
            [("ps", 0)],
            {0: TWO},
            "The cluster has 3 tasks, but 1 process runs: no process is /job:worker/task:0, /job:worker/task:1",
        ),
    ],
)
def test_processes_disagree(tasks, specs, text):
    with pytest.raises(ValueError) as error:
        agree(tasks, {rank: spec(jobs) for rank, jobs in specs.items()})
    assert text in str(error.value)


def test_iterators_without_a_shared_name_belong_to_sessions():
    job = mpi.run(
        """
        import tfcore as tf
        target = tf.train.Server.create_local_server().target

        def graph(dataset, shared_name=None):
            with tf.Graph().as_default() as made:
                iterator = dataset().make_initializable_iterator(shared_name)
                made.value = iterator.get_next()
                made.initializer = iterator.initializer
            return made

        numbers = graph(lambda: tf.data.Dataset.range(9))
        pairs = graph(lambda: tf.data.Dataset.range(9).map(lambda i: (i, -i)))
        first, second, third = tf.Session(target, numbers), tf.Session(target, numbers), tf.Session(target, pairs)
        first.run(numbers.initializer)
        found = [first.run(numbers.value), first.run(numbers.value)]
        try:
            second.run(numbers.value)
        except tf.errors.FailedPreconditionError:
            second.run(numbers.initializer)
            found.append(second.run(numbers.value))
        third.run(pairs.initializer)
        found += [*third.run(pairs.value), *third.run(pairs.value), first.run(numbers.value)]
        first.close()
        found.append(second.run(numbers.value))
        shared = graph(lambda: tf.data.Dataset.range(9), "shared")
        with tf.Session(target, shared) as sess:
            sess.run(shared.initializer)
            found.append(sess.run(shared.value))
        with tf.Session(target, shared) as sess:
            found.append(sess.run(shared.value))
        print([int(value) for value in found])
        """
    )
    assert job.code == 0, job.text
    assert job.lines() == ["[0, 1, 0, 0, 0, 1, -1, 2, 1, 0, 1]"]


def test_local_cluster():
    job = mpi.run(
        """
        import tfcore as tf
        with tf.device("/job:ps/task:0"):
            v = tf.Variable(1.0)
        for value in (2.0, 3.0):
            workers, (server,) = tf.test.create_local_cluster(0, 1)
            assert workers == [] and server.server_def.job_name == "ps"
            with tf.Session(server.target) as sess:
                assert not sess.run(tf.is_variable_initialized(v))
                print(sess.run(v.assign(value)))
        for numbers in ((2, 1), (-1, 2), (0, 0), (1, 0)):
            try:
                tf.test.create_local_cluster(*numbers)
            except (tf.errors.UnimplementedError, tf.errors.AlreadyExistsError) as error:
                print(error)
        """
    )
    assert job.code == 0, job.text
    assert {"2.0", "3.0"} < {*job.lines()}
    for numbers in ("2 workers and 1", "-1 workers and 2", "0 workers and 0"):
        assert f"A process is one task, so that it can't be {numbers} parameter servers" in job.text
    assert "This process is /job:ps" in job.text and "can't be another task" in job.text


def test_local_server():
    job = mpi.run(
        """
        import pickle, sys, tfcore as tf
        server = tf.train.Server.create_local_server()
        print(server.target, server.server_def.job_name, server.server_def.task_index)
        try:
            pickle.dumps(server)
        except TypeError as error:
            print(error)
        again = tf.train.Server.create_local_server()
        try:
            tf.train.Server({"worker": ["a:1"]})
        except tf.errors.AlreadyExistsError as error:
            print(error)
        assert not any(m.startswith("mpi4py") for m in sys.modules)
        server.join()
        print("not reached")
        """
    )
    assert job.code == 0, job.text
    assert job.lines() == [
        "This process is /job:localhost/replica:0/task:0 of ClusterSpec({'localhost': ['localhost:0']}) and can't be "
        "another task.",
        "cannot pickle a Server: it belongs to this process, which is a task of the cluster. Another process is a task "
        "of its own, with a server of its own",
        "mpi://0 localhost 0",
    ]


START = """
    import os, signal, sys, time
    import tfcore as tf
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.task import task
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    print("started", cluster.job_name, cluster.task_index, server.target, flush=True)
    me = task.current()
"""


def test_a_job_ends_when_all_who_do_not_join_have_ended():
    job = mpi.run(
        START
        + """
    if cluster.job_name == "ps":
        me.join()
        print("joined", [fabric.failure(rank) for rank in (1, 2)])
    elif cluster.task_index == 0:
        time.sleep(0.5)  # the first to end is not missed
    print("end of", cluster.job_name, cluster.task_index)
    """,
        ranks=3,
    )
    assert job.code == 0, job.text
    assert job.lines("started") == ["started ps 0 mpi://0", "started worker 0 mpi://1", "started worker 1 mpi://2"]
    assert job.lines("joined") == ["joined ['it has ended', 'it has ended']"]
    assert len(job.lines("end of")) == 3 and "tfcore:" not in job.text


def test_all_may_join():
    job = mpi.run(START + "    server.join()", ranks=3)
    assert job.code == 0 and len(job.lines("started")) == 3, job.text


def test_join_ends_the_process():
    """As in TensorFlow, where it never returns: programs have a worker's code after it."""
    job = mpi.run(
        START
        + """
    import atexit
    if cluster.job_name == "ps":
        atexit.register(print, "at exit", flush=True)
        try:
            server.join()
        except Exception:
            print("not reached")
        finally:
            sys.stdout.write("finally\\n")
    print("work of", cluster.job_name, cluster.task_index)
    """,
        ranks=3,
    )
    assert job.code == 0 and "Traceback" not in job.text, job.text
    assert job.lines("work of") == ["work of worker 0", "work of worker 1"], job.text
    assert job.lines("at exit") + job.lines("finally") == ["at exit", "finally"], job.text
    assert "not reached" not in job.text


def test_join_of_an_excluded_task_fails():
    job = mpi.run(
        START
        + """
    if cluster.job_name == "ps":
        server.join()
    else:
        from tfcore.distributed.membership import heartbeat

        me._heartbeat.note(0, 1, heartbeat.FROZEN, "the test says so")
        while not fabric.failure(0):
            time.sleep(0.01)
    """,
        ranks=2,
    )
    assert job.code == 1 and "AbortedError" in job.text and "excluded from the cluster" in job.text, job.text


def test_explicit_tasks_need_not_be_in_the_order_of_ranks():
    job = mpi.run(
        """
        import tfcore as tf
        from tfcore.distributed.task import task
        from tfcore.distributed.cluster import world
        cluster = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}
        job, index = [("worker", 1), ("ps", 0), ("worker", 0)][world.rank()]
        server = tf.train.Server(cluster, job_name=job, task_index=index, protocol="grpc")
        me = task.current()
        print(me.name, me.tasks, me.rank_of("/job:worker/task:0"), server.target)
        server.join()
        """,
        ranks=3,
    )
    assert job.code == 0, job.text
    tasks = "[('worker', 1), ('ps', 0), ('worker', 0)] 2"
    names = [("ps/replica:0/task:0", 1), ("worker/replica:0/task:0", 2), ("worker/replica:0/task:1", 0)]
    assert job.lines("/job") == [f"/job:{name} {tasks} mpi://{rank}" for name, rank in names]


def test_a_cluster_of_another_size_is_an_error_everywhere():
    job = mpi.run(
        """
        import tfcore as tf
        try:
            tf.train.Server({"worker": ["a:1", "b:1"]}, "worker", 1)
        except ValueError as error:
            print(error)
        """,
        ranks=2,
    )
    assert job.code == 0, job.text
    assert job.lines() == 2 * ["Rank 0 and rank 1 both are /job:worker/task:1"]


def test_a_process_without_a_server_is_missed():
    job = mpi.run(
        """
        import time
        import tfcore as tf
        cluster = tf.train.ClusterSpec.from_mpi(ps=1)
        if cluster.task_index == 1:
            time.sleep(4)
            raise SystemExit
        try:
            tf.train.Server(cluster)
        except tf.errors.DeadlineExceededError as error:
            print(error)
        """,
        ranks=3,
        env={"TFCORE_START_TIMEOUT": "1"},
    )
    assert job.code == 0, job.text
    assert job.lines("Of") == 2 * ["Of 3 processes, rank 2 has not started a server within 1 s"]


def test_processes_say_what_they_wait_for():
    """For one that makes its server late; and for the variables of a cluster without a parameter server."""
    job = mpi.run(
        """
        import time
        import tfcore as tf
        from tfcore.core.threads import progress
        progress.seconds = 0.3
        cluster = tf.train.ClusterSpec.from_mpi(ps=0)
        time.sleep(2 * (cluster.task_index == 1))
        server = tf.train.Server(cluster)
        v = tf.Variable(1.0, name="v")
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
        if cluster.task_index == 1:
            try:
                manager.wait_for_session(server.target, max_wait_secs=1)
            except tf.errors.DeadlineExceededError:
                print("too long")
        """,
        ranks=2,
    )
    assert job.code == 0 and "too long" in job.text, job.text
    server = "tfcore: rank 0 waits until all 2 processes have made a tf.train.Server (no message yet from rank 1), "
    chief = "tfcore: waiting for the chief. Variables not initialized: v. They belong to this task, so the "
    assert server in job.text and chief in job.text, job.text


@pytest.mark.parametrize(
    "text, told",
    [("out of luck", "out of luck"), ("out of \\udce9", "out of ?")],
    ids=["text", "bytes that are not text"],  # the second as in the name of a file
)
def test_an_exception_ends_its_rank_and_the_others_are_told(text, told):
    job = mpi.run(
        START
        + f"""
    if cluster.job_name == "worker" and cluster.task_index == 0:
        raise ArithmeticError("{text}")
    while fabric.alive(1):
        time.sleep(0.01)
    try:
        fabric.call(1, "anything")
    except tf.errors.UnavailableError as error:
        print(error)
    """,
        ranks=3,
    )
    assert job.text.count(f"ArithmeticError: {text}\n") >= 1 and job.text.count("Traceback") == 1
    expected = f"(rank 1): it ended with ArithmeticError: {told}. It can't be reached."
    assert [line.partition(" on host ")[0] for line in job.lines("/job")] == 2 * ["/job:worker/task:0"], job.text
    assert all(line.endswith(expected) for line in job.lines("/job"))


def test_threads_are_shared_by_the_processes_of_a_host():
    source = START + "    from tfcore.core.runtime import num_threads\n    print('threads', num_threads())\n"
    one, own = mpi.run(source, ranks=2), mpi.run(source, ranks=2, env={"TFCORE_NUM_THREADS": "5"})
    assert one.code == 0 and own.code == 0, one.text + own.text
    assert one.lines("threads") == 2 * [f"threads {max(1, len(os.sched_getaffinity(0)) // 2)}"]
    assert own.lines("threads") == 2 * ["threads 5"]
