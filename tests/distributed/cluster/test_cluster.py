"""ClusterSpec: TensorFlow's interface, and which rank a task is."""

import json
import subprocess
import sys
import types

import pytest

import tfcore as tf
from tests.distributed import mpi
from tfcore.distributed.cluster import world

JOBS = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1", "e:1"]}


def test_jobs_and_tasks():
    spec = tf.train.ClusterSpec(JOBS)
    assert spec.jobs == ["ps", "worker"] and bool(spec) and not tf.train.ClusterSpec({})
    assert spec.num_tasks("worker") == 3 and spec.task_indices("worker") == [0, 1, 2]
    assert spec.task_address("worker", 1) == "d:1" and spec.job_tasks("ps") == ["a:1", "b:1"]
    assert spec.as_dict() == JOBS
    assert repr(spec) == "ClusterSpec({'ps': ['a:1', 'b:1'], 'worker': ['c:1', 'd:1', 'e:1']})"


def test_sparse_jobs():
    spec = tf.train.ClusterSpec({"worker": {1: "b:1", "3": "d:1"}, "empty": {}, "ps": ("a:1",)})
    assert spec.task_indices("worker") == [1, 3] and spec.num_tasks("worker") == 2
    assert spec.job_tasks("worker") == [None, "b:1", None, "d:1"] and spec.job_tasks("empty") == []
    assert spec.as_dict() == {"worker": {1: "b:1", 3: "d:1"}, "empty": {}, "ps": ["a:1"]}


def test_equality():
    spec = tf.train.ClusterSpec(JOBS)
    assert spec == tf.train.ClusterSpec(spec) and not spec != tf.train.ClusterSpec(JOBS)  # noqa: SIM202
    assert spec != tf.train.ClusterSpec({"ps": ["a:1"]}) and spec != 3
    assert spec == {"ps": {0: "a:1", 1: "b:1"}, "worker": {0: "c:1", 1: "d:1", 2: "e:1"}}


def test_cluster_def_and_back():
    spec = tf.train.ClusterSpec({"worker": {1: "b:1", 3: b"d:1"}, "ps": ["a:1"]})
    cluster_def = spec.as_cluster_def()
    assert isinstance(cluster_def, tf.train.ClusterDef)
    assert dict(cluster_def.job[0].tasks) == {1: "b:1", 3: "d:1"}
    again = tf.train.ClusterSpec(cluster_def)
    assert again == spec and again.jobs == spec.jobs
    assert [again.rank("worker", 1), again.rank("worker", 3), again.rank("ps", 0)] == [0, 1, 2]


def test_ranks_in_the_order_of_listing():
    spec = tf.train.ClusterSpec(JOBS)
    assert [spec.rank(*task) for task in [("ps", 0), ("ps", 1), ("worker", 0), ("worker", 2)]] == [0, 1, 2, 4]
    assert spec.task_of_rank(3) == ("worker", 1)
    assert (spec.job_name, spec.task_index) == ("ps", 0)  # this process, which is alone


@pytest.mark.parametrize(
    "jobs",
    [
        JOBS,
        {"ps": ["mpi:0"], "worker": [f"mpi:{r}" for r in range(1, 100)]},
        {"ps": [3, 1, 2], "worker": {0: "mpi:4", 2: "mpi:5", 3: "mpi:6", 4: "mpi:8", 5: "mpi://9", 6: "mpi:10"}},
        {"worker": ["mpi://0", "mpi:1", "mpi:02", "mpi:3"], "empty": []},
        {},
    ],
)
def test_ranges(jobs):
    cluster = tf.train.ClusterSpec(jobs)
    ranges = json.loads(json.dumps(cluster.as_ranges()))
    again = tf.train.ClusterSpec.from_ranges(ranges)
    assert again == cluster and again.jobs == cluster.jobs


def test_many_ranks_are_one_range():
    cluster = tf.train.ClusterSpec({"ps": ["mpi:0", "mpi:1"], "worker": [f"mpi:{r}" for r in range(2, 10_000)]})
    assert cluster.as_ranges() == {"ps": [[0, 2, "mpi:0"]], "worker": [[0, 9998, "mpi:2"]]}
    assert cluster.task_of_rank(9999) == ("worker", 9997)


def test_explicit_ranks():
    spec = tf.train.ClusterSpec({"ps": [2], "worker": ["mpi:1", "mpi://0"]})
    assert spec.as_dict() == {"ps": ["mpi:2"], "worker": ["mpi:1", "mpi://0"]}
    assert spec.rank("ps", 0) == 2 and spec.task_of_rank(0) == ("worker", 1)
    assert (spec.job_name, spec.task_index) == ("worker", 1)


@pytest.mark.parametrize(
    "cluster, text",
    [
        (["a:1"], "`cluster` must be a dictionary mapping one or more job names to lists of network addresses"),
        (None, "`cluster` must be a dictionary"),
        ({"ps": "a:1"}, "The tasks for job 'ps' must be a list or a dictionary from integers to strings."),
        ({3: ["a:1"]}, "Job name 3 must be bytes or unicode"),
        ({"ps": [1.5]}, "Task address 1.5 must be bytes or unicode"),
        ({"ps": [None]}, "Task address None must be bytes or unicode"),
    ],
)
def test_wrong_types(cluster, text):
    with pytest.raises(TypeError) as error:
        tf.train.ClusterSpec(cluster)
    assert text in str(error.value)


def test_wrong_ranks():
    with pytest.raises(ValueError, match="/job:ps/task:0 and /job:worker/task:1 have the same rank 1"):
        tf.train.ClusterSpec({"ps": [1], "worker": [0, 1]})
    with pytest.raises(ValueError, match="'b:1' of /job:worker/task:0 gives no rank, but others of the cluster do"):
        tf.train.ClusterSpec({"ps": ["mpi:1"], "worker": ["b:1"]})


def test_what_is_not_there():
    spec = tf.train.ClusterSpec({"worker": ["mpi:4"]})
    for call in (spec.num_tasks, spec.task_indices, spec.job_tasks, lambda job: spec.task_address(job, 0)):
        with pytest.raises(ValueError, match="No such job in cluster: 'ps'"):
            call("ps")
    with pytest.raises(ValueError, match="No task with index 7 in job 'worker'"):
        spec.task_address("worker", 7)
    with pytest.raises(ValueError, match="No task has rank 0: the cluster has 1 task, but 1 process runs"):
        print(spec.job_name)


def test_from_mpi_alone(monkeypatch):
    spec = tf.train.ClusterSpec.from_mpi()
    assert spec.as_dict() == {"worker": ["mpi:0"]} and (spec.job_name, spec.task_index) == ("worker", 0)
    with pytest.raises(ValueError, match="ps=1 must be .* this job has 1 process; start it with: mpirun -n 2 python"):
        tf.train.ClusterSpec.from_mpi(ps=1)
    with pytest.raises(ValueError, match="ps=-1 must be at least 0"):
        tf.train.ClusterSpec.from_mpi(ps=-1)
    monkeypatch.setenv("TFCORE_PS", "2")
    with pytest.raises(ValueError, match="ps=2 must be"):
        tf.train.ClusterSpec.from_mpi()


def test_from_mpi_under_mpirun():
    job = mpi.run(
        """
        import tfcore as tf
        cluster = tf.train.ClusterSpec.from_mpi(ps=1)
        print("role", cluster.job_name, cluster.task_index, sorted(cluster.as_dict().items()))
        """,
        ranks=3,
    )
    everybody = "[('ps', ['mpi:0']), ('worker', ['mpi:1', 'mpi:2'])]"
    assert job.code == 0, job.text
    assert job.lines("role") == [f"role {who} {everybody}" for who in ("ps 0", "worker 0", "worker 1")]


def test_importing_the_package_does_not_start_mpi():
    check = (
        "import sys, tfcore as tf; tf.train.ClusterSpec; assert not any(m.startswith('mpi4py') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True, timeout=60)


@pytest.mark.parametrize("names", [["SLURM_STEP_NUM_TASKS"], ["PMI_SIZE", "PMI_RANK"]])
def test_processes_that_do_not_know_of_each_other_are_no_clusters(monkeypatch, names):
    """Started by srun without PMIx, or by the mpirun of another MPI than the one that is loaded."""
    monkeypatch.setattr(world, "mpi", lambda: types.SimpleNamespace(COMM_WORLD=types.SimpleNamespace(size=1)))
    for name in names:
        monkeypatch.setenv(name, "3")
    with pytest.raises(tf.errors.FailedPreconditionError, match="3 processes were started, but MPI knows only this"):
        tf.train.ClusterSpec.from_mpi()


def test_a_number_of_tasks_points_to_from_mpi():
    for cluster in ({"ps": 1}, {"worker": ["mpi:0"], "ps": 1}):
        with pytest.raises(TypeError, match=r"tasks for job 'ps' must be a list .*ClusterSpec\.from_mpi\(ps=1\) makes"):
            tf.train.ClusterSpec(cluster)
    with pytest.raises(TypeError, match=r"from integers to strings\.$"):
        tf.train.ClusterSpec({"ps": None})
