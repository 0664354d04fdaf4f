"""Messages beside protobuf's own classes: the same bytes, text, presence and errors for any values."""

import copy
import pickle

import numpy as np
import pytest
from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto import config_pb2

from tfcore.client import config as ours
from tfcore.framework.message import Enum, Message

INTEGERS = {5: 31, 3: 63, 13: 32, 4: 64}  # type number in protobuf -> bits


def scalars(field):
    """Values for a field of protobuf's."""
    if field.type in INTEGERS:
        bits = INTEGERS[field.type]
        return st.integers(0 if field.type in (13, 4) else -(2**bits), 2**bits - 1)
    if field.type == 8:
        return st.booleans()
    if field.type == 14:
        return st.sampled_from([v.number for v in field.enum_type.values])
    if field.type in (1, 2):
        return st.floats(width=32 if field.type == 2 else 64, allow_nan=False)
    return st.text(st.characters(codec="utf-8"), max_size=5)


@st.composite
def filled(draw, message, depth=0):
    """Sets random fields of a message of protobuf's that tfcore has, too."""
    mine = getattr(ours, message.DESCRIPTOR.name, None) if depth == 0 else None
    names = [f.name for f in message.DESCRIPTOR.fields]
    names = [n for n in names if n in mine._table()] if mine else names
    by_name = message.DESCRIPTOR.fields_by_name
    for name in draw(st.lists(st.sampled_from(names), max_size=4, unique=True)) if names else ():
        field, target = by_name[name], getattr(message, name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            target.update(draw(st.dictionaries(st.text(max_size=3), st.integers(-5, 5), max_size=3)))
        elif field.message_type is not None:
            if field.message_type.name in ("ClusterDef", "CustomGraphOptimizer", "Experimental", "DebugOptions"):
                continue
            child = target.add() if hasattr(target, "add") else target
            child.SetInParent()
            draw(filled(child, depth + (depth == 0 and not hasattr(ours, field.message_type.name))))
        elif hasattr(target, "extend"):
            target.extend(draw(st.lists(scalars(field), max_size=3)))
        else:
            setattr(message, name, draw(scalars(field)))
    return message


CLASSES = ["ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RunOptions", "ThreadPoolOptionProto"]


@given(st.data(), st.sampled_from(CLASSES))
def test_bytes_and_text_are_protobufs(data, name):
    theirs = data.draw(filled(getattr(config_pb2, name)()))
    mine = getattr(ours, name).FromString(theirs.SerializeToString())
    assert mine.SerializeToString(deterministic=True) == theirs.SerializeToString(deterministic=True)
    assert str(mine) == text_format.MessageToString(mine, as_utf8=True)
    assert text_format.MessageToString(mine) == text_format.MessageToString(theirs)
    assert json_format.MessageToDict(mine) == json_format.MessageToDict(theirs)
    assert mine.ByteSize() == theirs.ByteSize()
    assert [f.name for f, _ in mine.ListFields()] == [f.name for f, _ in theirs.ListFields()]
    copied = getattr(ours, name)()
    copied.CopyFrom(theirs)
    assert copied == mine == copy.deepcopy(mine) == copy.copy(mine) == pickle.loads(pickle.dumps(mine))
    assert text_format.Parse(str(mine), getattr(ours, name)()) == mine
    copied.MergeFrom(mine)
    theirs.MergeFrom(getattr(config_pb2, name).FromString(theirs.SerializeToString()))
    assert copied.SerializeToString(deterministic=True) == theirs.SerializeToString(deterministic=True)
    mine.Clear()
    assert mine == getattr(ours, name)() and mine.SerializeToString() == b""


@given(st.binary(max_size=30))
def test_any_bytes(data):
    try:
        theirs = config_pb2.ConfigProto.FromString(data)
    except DecodeError:
        with pytest.raises(DecodeError, match="Error parsing message with type 'tensorflow.ConfigProto'"):
            ours.ConfigProto.FromString(data)
        return
    assert ours.ConfigProto.FromString(data).ListFields().__len__() == len(theirs.ListFields())


def test_presence():
    config = ours.ConfigProto()
    assert not config.gpu_options.allow_growth and not config.HasField("gpu_options")  # reading sets nothing
    config.gpu_options.allow_growth = False
    assert config.HasField("gpu_options") and str(config) == "gpu_options {\n}\n"
    options = config.gpu_options
    config.ClearField("gpu_options")
    options.allow_growth = True
    assert not config.HasField("gpu_options") and config == ours.ConfigProto()
    config.graph_options.rewrite_options.remapping = ours.RewriterConfig.OFF
    assert config.HasField("graph_options") and config.graph_options.HasField("rewrite_options")
    config.experimental.SetInParent()
    assert config.HasField("experimental")


def test_lists_and_maps():
    config = ours.ConfigProto(device_count={"CPU": 2}, device_filters=["/job:a"])
    assert config.device_count == {"CPU": 2} and config.device_filters == ["/job:a"]
    assert config.device_count["GPU"] == 0 and "GPU" in config.device_count and config.device_count.get("x") is None
    config.device_count.update({"GPU": 1})
    del config.device_count["CPU"]
    assert dict(config.device_count) == {"GPU": 1} and repr(config.device_count) == "{'GPU': 1}"
    config.device_filters.extend(["c", "b"])
    config.device_filters.sort()
    config.device_filters[0] = "z"
    assert config.device_filters.pop() == "c" and list(config.device_filters[:2]) == ["z", "b"]
    pool = config.session_inter_op_thread_pool.add(num_threads=3)
    pool.global_name = "name"
    config.session_inter_op_thread_pool.append(pool)
    pool.num_threads = 4
    assert [p.num_threads for p in config.session_inter_op_thread_pool] == [4, 3]
    config.session_inter_op_thread_pool[1].num_threads = 5
    assert ours.ConfigProto.FromString(config.SerializeToString()) == config
    optimizer = config.graph_options.rewrite_options.custom_optimizers.add(name="x")
    optimizer.parameter_map["a"].i = 3
    again = ours.ConfigProto.FromString(config.SerializeToString())
    assert again.graph_options.rewrite_options.custom_optimizers[0].parameter_map["a"].i == 3
    with pytest.raises(ValueError, match="Direct assignment of submessage"):
        optimizer.parameter_map["a"] = optimizer.parameter_map["a"]
    with pytest.raises(TypeError, match="does not support assignment"):
        config.session_inter_op_thread_pool[0] = pool
    with pytest.raises(TypeError, match="Expected a message object"):
        config.session_inter_op_thread_pool.append(3)


def test_a_field_of_protobufs_class():
    config = ours.ConfigProto()
    job = config.cluster_def.job.add(name="worker")
    job.tasks[0] = "host:1"
    assert config.HasField("cluster_def")
    assert config_pb2.ConfigProto.FromString(config.SerializeToString()).cluster_def == config.cluster_def
    assert 'cluster_def {\n  job {\n    name: "worker"\n' in str(config)


def assign(name, value):
    return lambda: setattr(ours.ConfigProto(), name, value)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ours.ConfigProto(foo=1), ValueError, 'Protocol message ConfigProto has no "foo" field.'),
        (lambda: ours.ConfigProto(1), TypeError, "No positional arguments allowed"),
        (lambda: ours.ConfigProto().foo, AttributeError, "foo"),
        (assign("foo", 1), AttributeError, 'Protocol message ConfigProto has no "foo" field.'),
        (assign("gpu_options", ours.GPUOptions()), AttributeError, "Assignment not allowed to message field"),
        (assign("device_filters", ["a"]), AttributeError, "Assignment not allowed to map, or repeated field"),
        (assign("intra_op_parallelism_threads", "a"), TypeError, "cannot be interpreted as an integer"),
        (assign("intra_op_parallelism_threads", 1.5), TypeError, "cannot be interpreted as an integer"),
        (assign("intra_op_parallelism_threads", True), TypeError, "Expected an int, got a boolean"),
        (assign("intra_op_parallelism_threads", 2**31), ValueError, "Value out of range: 2147483648"),
        (assign("allow_soft_placement", "x"), TypeError, "cannot be interpreted as an integer"),
        (lambda: ours.GPUOptions(per_process_gpu_memory_fraction="a"), TypeError, "must be real number, not str"),
        (lambda: ours.GPUOptions(allocator_type=5), TypeError, "bad argument type for built-in operation"),
        (lambda: ours.GPUOptions(allocator_type=b"\xff"), UnicodeDecodeError, "invalid start byte"),
        (lambda: ours.OptimizerOptions(opt_level="zz"), ValueError, 'unknown enum label "zz"'),
        (lambda: ours.ConfigProto(gpu_options=ours.GraphOptions()), TypeError, "Parameter to initialize message field"),
        (lambda: ours.ConfigProto(device_filters=5), TypeError, "must assign iterable"),
        (lambda: ours.ConfigProto().HasField("device_count"), ValueError, "does not have presence"),
        (lambda: ours.ConfigProto().HasField("foo"), ValueError, 'has no "foo" field'),
        (lambda: ours.ConfigProto().ClearField("foo"), ValueError, 'has no "foo" field'),
        (lambda: ours.ConfigProto().WhichOneof("foo"), ValueError, 'has no "foo" field'),
        (lambda: ours.ConfigProto().CopyFrom(None), TypeError, r"Parameter to CopyFrom\(\) must be instance of same"),
        (lambda: ours.ConfigProto().MergeFrom(ours.GPUOptions()), TypeError, r"Parameter to MergeFrom\(\)"),
        (lambda: ours.ConfigProto().ParseFromString("a"), TypeError, "expected bytes, str found"),
        (lambda: hash(ours.ConfigProto()), TypeError, "unhashable type: 'ConfigProto'"),
        (lambda: ours.OptimizerOptions.Level.Name(9), ValueError, "no name defined for value 9"),
        (lambda: ours.OptimizerOptions.Level.Value("q"), ValueError, "no value defined for name 'q'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_values():
    config = ours.ConfigProto(gpu_options={"allow_growth": True}, intra_op_parallelism_threads=np.int64(3))
    assert config.gpu_options.allow_growth and config.intra_op_parallelism_threads == 3
    assert ours.ConfigProto(intra_op_parallelism_threads=None) == ours.ConfigProto()
    assert ours.OptimizerOptions(opt_level="L0").opt_level == ours.OptimizerOptions.L0 == -1
    assert ours.OptimizerOptions.Level.items() == [("L1", 0), ("L0", -1)]
    assert ours.GPUOptions(allocator_type=b"abc").allocator_type == "abc"
    assert config != ours.ConfigProto() and config != 3


def test_unknown_fields_are_kept():
    config = ours.ConfigProto.FromString(b"\xc8\x3e\x05")
    assert config.SerializeToString() == b"\xc8\x3e\x05" and str(config) == "" and config != ours.ConfigProto()
    config.DiscardUnknownFields()
    assert config == ours.ConfigProto()


def test_unknown_fields_among_known_ones():
    many = b"\xf8\x7f\x01" * 300_000  # linear in their number: these would take a minute otherwise
    config = ours.ConfigProto.FromString(many + b"\x10\x02" + many)
    assert config.intra_op_parallelism_threads == 2
    assert config.SerializeToString() == b"\x10\x02" + many + many


@pytest.mark.parametrize(
    "data",
    [
        b"\xfb\x7f\xfc\x7f",
        b"\xfb\x7f\x08\x01\x13\x0a\x01a\x14\xfc\x7f\x10\x02",
        b"\x13\x14",  # the number of a field that is no group
        b"\xfb\x7f",
        b"\xfb\x7f\x14",
        b"\xfc\x7f",
        b"\xfb\x7f" * 200_000,
        b"\x80\x80\x80\x80\x10\x01",
    ],
)
def test_groups(data):
    """Messages of other programs may have groups, an old form of messages within messages."""
    try:
        theirs = config_pb2.ConfigProto.FromString(data)
    except DecodeError:
        with pytest.raises(DecodeError):
            ours.ConfigProto.FromString(data)
        return
    assert ours.ConfigProto.FromString(data).SerializeToString() == theirs.SerializeToString()


def test_minus_zero_is_not_the_default():
    options = ours.GPUOptions(per_process_gpu_memory_fraction=-0.0)
    theirs = config_pb2.GPUOptions(per_process_gpu_memory_fraction=-0.0)
    assert options.SerializeToString() == theirs.SerializeToString() != b""


def test_surrogates_are_refused_at_once():
    options = ours.GPUOptions()
    with pytest.raises(UnicodeEncodeError):
        options.allocator_type = "\ud800"
    assert options.SerializeToString() == b""


def test_a_class_of_ones_own():
    class Shade(Message):
        Colour = Enum("Shade.Colour", RED=0, BLUE=4)
        __qualname__ = "Shade"
        _schema = """
            Colour colour = 1
            map<int32, bytes> data = 7
        """

    shade = Shade(colour="BLUE", data={-1: b"\xff\n"})
    assert Shade.FromString(shade.SerializeToString()) == shade and Shade.BLUE == 4
    assert str(shade) == 'colour: BLUE\ndata {\n  key: -1\n  value: "\\377\\n"\n}\n'
