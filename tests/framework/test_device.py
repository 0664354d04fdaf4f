"""Device names: parsing, the canonical form and merging."""

from types import SimpleNamespace

import pytest

import tfcore as tf
from tfcore.framework import device
from tfcore.framework.device import DeviceSpec


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("cpu:0", "/device:CPU:0"),
        ("/CPU", "/device:CPU:*"),
        ("/gpu:*", "/device:GPU:*"),
        ("/device:gpu:1", "/device:GPU:1"),
        ("/device:CPU:0", "/device:CPU:0"),
        ("/job:ps/task:3", "/job:ps/task:3"),
        (
            "/job:worker/replica:0/task:1/device:CPU:0",
            "/job:worker/replica:0/task:1/device:CPU:0",
        ),
        ("/gpu:2/task:1/job:a", "/job:a/task:1/device:GPU:2"),
        ("/device:MYCHIP:4", "/device:MYCHIP:4"),
    ],
)
def test_canonical_form(text, canonical):
    assert DeviceSpec.from_string(text).to_string() == canonical
    assert device.canonical_name(text) == canonical
    assert device.canonical_name(DeviceSpec.from_string(text)) == canonical


def test_canonical_name_of_none():
    assert device.canonical_name(None) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/jobs:ps", "Unknown attribute 'jobs'"),
        ("/cpu:0/gpu:0", "Multiple device types"),
        ("/device:CPU:0/device:CPU:1", "Multiple device types"),
        ("/device:CPU", "Unknown attribute 'device'"),
        ("/cpu:x", "not a number"),
        ("/task:a", "not a number"),
        ("/cpu:0:1", "Unknown attribute 'cpu'"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(ValueError, match=message):
        DeviceSpec.from_string(text)
    with pytest.raises(ValueError, match=message):
        device.check_valid(text)


def test_parts():
    spec = DeviceSpec(job="ps", task="2", device_type="gpu", device_index=1)
    assert (spec.job, spec.replica, spec.task) == ("ps", None, 2)
    assert (spec.device_type, spec.device_index) == ("GPU", 1)
    assert spec == DeviceSpec.from_string("/job:ps/task:2/gpu:1")
    assert spec != DeviceSpec.from_string("/job:ps/task:2/gpu:0")
    assert hash(spec) == hash(DeviceSpec.from_string("/job:ps/task:2/gpu:1"))
    assert spec.replace(task=5).to_string() == "/job:ps/task:5/device:GPU:1"
    assert "job=ps" in repr(spec)


def test_merge_from():
    spec = DeviceSpec.from_string("/job:worker/device:GPU:0")
    spec.merge_from(DeviceSpec.from_string("/job:ps/task:1"))
    assert spec.to_string() == "/job:ps/task:1/device:GPU:0"
    other = spec.make_merged_spec(DeviceSpec.from_string("/cpu:3"))
    assert other.to_string() == "/job:ps/task:1/device:CPU:3"
    assert spec.to_string() == "/job:ps/task:1/device:GPU:0"


def test_innermost_scope_decides():
    outer, inner = device.merge_device("/job:worker/gpu:0"), device.merge_device("/cpu:1")
    op = SimpleNamespace(device="/task:7")
    op.device = inner(op)
    assert op.device == "/task:7/device:CPU:1"
    assert outer(op) == "/job:worker/task:7/device:CPU:1"
    assert device.merge_device(outer) is outer
    assert device.merge_device("").is_null_merge
    assert not outer.is_null_merge
    assert device.merge_names("/gpu:0", "/job:a") == "/job:a/device:GPU:0"


def test_the_device_of_an_operation_is_set_by_scopes_only():
    with pytest.raises(AttributeError):
        tf.constant(1).op.device = "/gpu:0"
