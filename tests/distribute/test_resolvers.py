"""tf.distribute.cluster_resolver"""

import json
import os

import pytest

import tfcore as tf
from tfcore.distribute import slurm_resolver
from tfcore.distributed.cluster.slurm import expand_hostlist, tasks_per_node

resolvers = tf.distribute.cluster_resolver
CLUSTER = tf.train.ClusterSpec({"ps": ["p:1"], "worker": ["a:1", "b:2"]})


def test_simple():
    found = resolvers.SimpleClusterResolver(CLUSTER, "m:3", "worker", 1, "x", {"GPU": 8}, "grpc")
    assert found.cluster_spec() is CLUSTER
    assert found.master() == "grpc://m:3" and found.master("worker", 1) == "grpc://b:2"
    assert found.master("ps", 0, "mpi") == "mpi://p:1"
    assert (found.task_type, found.task_id, found.environment, found.rpc_layer) == ("worker", 1, "x", "grpc")
    assert found.num_accelerators() == {"GPU": 8}
    found.task_type, found.task_id, found.rpc_layer = "ps", 0, None
    assert (found.task_type, found.task_id, found.master()) == ("ps", 0, "m:3")
    assert resolvers.SimpleClusterResolver(CLUSTER).num_accelerators() == {}
    with pytest.raises(TypeError, match="cluster_spec must be a `tf.train.ClusterSpec`"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})
    with pytest.raises(TypeError, match="master must be a string"):
        resolvers.SimpleClusterResolver(CLUSTER, 3)


def simple(jobs, **options):
    return resolvers.SimpleClusterResolver(tf.train.ClusterSpec(jobs), **options)


def test_union():
    first, second = (
        simple({"worker": ["a:1"]}, task_type="worker", task_id=0),
        simple({"worker": ["b:1"], "ps": ["p:1"]}),
    )
    both = resolvers.UnionResolver(first, second)
    assert both.cluster_spec() == tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": ["p:1"]})
    assert (both.task_type, both.task_id, both.master("worker", 1)) == ("worker", 0, "b:1")
    other = simple({"worker": ["a:1", "b:1"]}, task_type="worker", task_id=1)
    union = resolvers.UnionResolver(other, task_id=0)
    assert (union.task_type, union.task_id) == ("worker", 0)
    union.task_id = None
    assert union.task_id == 1
    assert resolvers.UnionResolver(first, task_type="ps", rpc_layer="grpc").task_type == "ps"
    dicts = resolvers.UnionResolver(first, simple({"worker": {3: "d:1"}})).cluster_spec()
    assert dicts.as_dict() == {"worker": {0: "a:1", 3: "d:1"}}
    with pytest.raises(KeyError, match="Duplicate keys detected when merging two ClusterSpecs: {0}"):
        resolvers.UnionResolver(first, simple({"worker": {0: "d:1", 2: "e:1"}})).cluster_spec()
    with pytest.raises(ValueError, match="At least one ClusterResolver is required"):
        resolvers.UnionResolver()
    with pytest.raises(TypeError, match="All arguments must be a sub-class"):
        resolvers.UnionResolver(CLUSTER)
    with pytest.raises(ValueError, match="Unexpected kwargs provided {'x': 1}"):
        resolvers.UnionResolver(first, x=1)


def test_tf_config(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    found = resolvers.TFConfigClusterResolver()
    assert (found.task_type, found.task_id, found.rpc_layer, found.master()) == (None, None, None, "")
    config = {"cluster": CLUSTER.as_dict(), "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"}
    monkeypatch.setenv("TF_CONFIG", json.dumps(config))
    assert found.cluster_spec() == CLUSTER
    assert (found.task_type, found.task_id, found.master()) == ("worker", 1, "grpc://b:2")
    assert found.master("ps", 0) == "grpc://p:1"
    assert resolvers.TFConfigClusterResolver("ps", 0, "").master() == "p:1"
    assert found.num_accelerators() == {}
    monkeypatch.setenv("TF_CONFIG", json.dumps({**config, "session_master": "local"}))
    assert found.master() == "local"


def test_slurm(monkeypatch):
    monkeypatch.setattr(slurm_resolver, "_lists", {})
    steps = {"PROCID": "2", "STEP_NUM_TASKS": "3", "STEP_NODELIST": "t[02-03]", "STEP_TASKS_PER_NODE": "2,1"}
    for name, value in steps.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    found = resolvers.SlurmClusterResolver({"ps": 1, "worker": 2})
    assert found.get_task_info() == (None, None) and found.master() == ""
    assert found.cluster_spec() == tf.train.ClusterSpec({"ps": ["t02:8888"], "worker": ["t02:8889", "t03:8888"]})
    assert found.get_task_info() == ("worker", 1) and found.master() == "grpc://t03:8888"
    assert found.num_accelerators() == {"GPU": 2} and os.environ["CUDA_VISIBLE_DEVICES"] == "0,1"
    with pytest.raises(RuntimeError, match="Requested 4 tasks but only 3 were assigned."):
        resolvers.SlurmClusterResolver({"worker": 4})
    with pytest.raises(RuntimeError, match="Requested more GPUs per node than available."):
        resolvers.SlurmClusterResolver(gpus_per_node=1, gpus_per_task=1)
    fixed = resolvers.SlurmClusterResolver({"worker": 2}, gpus_per_node=0, tasks_per_node=1, rpc_layer=None)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    assert fixed.master("worker", 1) == "t03:8888" and os.environ["CUDA_VISIBLE_DEVICES"] == "7"
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found in environment. Not running inside a SLURM step?"):
        resolvers.SlurmClusterResolver()


@pytest.mark.parametrize(
    "visible, options, gpus, shown",
    [
        (None, {"gpus_per_node": 4}, 2, "2,3"),
        ("4,5,6,7", {}, 2, "6,7"),
        ("4, 5,-1,6", {}, 1, "5"),
        ("4,5", {"gpus_per_node": 4}, 2, "4,5"),
        ("", {}, 0, ""),
        ("-1", {}, 0, "-1"),
        ("-1", {"gpus_per_node": 4}, 2, "-1"),
        ("4,5", {"auto_set_gpu": False}, 1, "4,5"),
    ],
)
def test_gpus_of_a_task_of_slurm(monkeypatch, visible, options, gpus, shown):
    monkeypatch.setattr(slurm_resolver, "_lists", {})
    steps = {"PROCID": "1", "STEP_NUM_TASKS": "2", "STEP_NODELIST": "t1", "STEP_TASKS_PER_NODE": "2"}
    for name, value in steps.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible or "")
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    for _ in range(2):  # the second resolver finds what the first has set
        found = resolvers.SlurmClusterResolver(**options)
        found.cluster_spec()
        found.cluster_spec()
        assert (found.num_accelerators(), os.environ["CUDA_VISIBLE_DEVICES"]) == ({"GPU": gpus}, shown)


def test_slurm_has_fewer_gpus_than_tasks_need(monkeypatch):
    steps = {"PROCID": "1", "STEP_NUM_TASKS": "2", "STEP_NODELIST": "t1", "STEP_TASKS_PER_NODE": "2"}
    for name, value in steps.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6")
    message = "CUDA_VISIBLE_DEVICES=4,5,6, and this task needs numbers 2 to 3 of the list"
    with pytest.raises(RuntimeError, match=message):
        resolvers.SlurmClusterResolver(gpus_per_node=4).cluster_spec()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4,5,6"


def test_lists_of_slurm():
    assert expand_hostlist("n[1-2],m5,o[3-4,6,7-9]") == ["n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"]
    assert expand_hostlist("a-b[008-010]") == ["a-b008", "a-b009", "a-b010"]
    assert tasks_per_node("3(x2),2,1") == [3, 3, 2, 1] and tasks_per_node("12") == [12]
    for text in ("n[1-", "n[a]", "n[1]x", "a,,b", "n[1-2-3]", "n[3-1]"):
        with pytest.raises(ValueError, match="Invalid hostlist format"):
            expand_hostlist(text)
    with pytest.raises(ValueError, match="Invalid tasks-per-node list format"):
        tasks_per_node("3(y2)")


@pytest.mark.parametrize(
    "make",
    [
        lambda: resolvers.GCEClusterResolver("p", "z", "g", 1),
        lambda: resolvers.KubernetesClusterResolver(),
        lambda: resolvers.TPUClusterResolver(),
    ],
)
def test_clouds_are_refused(make):
    with pytest.raises(tf.errors.UnimplementedError, match="Resolver is not implemented: nothing here asks clouds"):
        make()
