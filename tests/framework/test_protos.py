"""The protocol buffers: what their files say, beside tensorboard's, and what programs do with messages."""

import concurrent.futures
import copy
import importlib
import os
import pickle
import pkgutil
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorboard.compat.proto
from google.protobuf import any_pb2, json_format, text_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError, Message
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import config_pb2, event_pb2, graph_pb2, meta_graph_pb2, saver_pb2, summary_pb2

import tfcore as tf
from tfcore.framework import protos
from tfcore.tools import descriptors


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


# ---- Files


def test_the_compiled_file_is_that_of_the_sources(tmp_path, monkeypatch):
    assert descriptors.is_current()
    planted = tmp_path / "descriptors.binpb"
    files = FileDescriptorSet.FromString(descriptors.compiled())
    files.file[-1].message_type[0].field[0].number += 50
    planted.write_bytes(files.SerializeToString())
    monkeypatch.setattr(descriptors, "TARGET", str(planted))
    assert not descriptors.is_current()


def test_a_command_that_fails_leaves_the_file(tmp_path, monkeypatch):
    """In a plain install, which has no protoc, it left an empty file, and no message had a class."""
    target = tmp_path / "descriptors.binpb"
    target.write_bytes(b"as it was")
    monkeypatch.setattr(descriptors, "TARGET", str(target))
    monkeypatch.setattr("sys.argv", ["descriptors"])
    monkeypatch.setitem(sys.modules, "grpc_tools", None)
    with pytest.raises(SystemExit, match="needs protoc: pip install grpcio-tools"):
        descriptors.main()
    assert target.read_bytes() == b"as it was"


def test_the_readme_names_the_files():
    with open(os.path.join(descriptors.FOLDER, "README.md"), encoding="utf-8") as file:
        words = set(re.findall(r"\w+", file.read()))
    assert [name for name in protos.files() if name.partition("/")[2] not in words] == []


def _fields(descriptor):
    """{path of a field, an enum value or a oneof: what it is}, of a message and those in it."""
    found = {}
    package = descriptor.file.package + "."
    for field in descriptor.fields:
        kind = next(
            (
                t.full_name.removeprefix(package).removeprefix("tensorflow.")
                for t in (field.message_type, field.enum_type)
                if t
            ),
            field.type,
        )
        oneof = field.containing_oneof and field.containing_oneof.name
        is_list = isinstance(field.default_value, (list, dict))
        found[field.name] = field.number, kind, is_list, field.has_presence, oneof
    for enum in descriptor.enum_types:
        found |= {f"{enum.name}.{value.name}": value.number for value in enum.values}
    for nested in descriptor.nested_types:
        found |= {f"{nested.name}.{name}": what for name, what in _fields(nested).items()}
    return found


def _theirs():
    """{name: descriptor} of tensorboard's messages."""
    found = {}
    for module in pkgutil.iter_modules(tensorboard.compat.proto.__path__):
        if module.name.endswith("_pb2"):
            file = importlib.import_module(f"tensorboard.compat.proto.{module.name}").DESCRIPTOR
            found |= file.message_types_by_name
    return found


def test_messages_are_tensorboards():
    common = {name: d for name, d in _theirs().items() if hasattr(protos, name)}
    assert len(common) > 80
    differences = {}
    for name, descriptor in common.items():
        theirs, ours = _fields(descriptor), _fields(getattr(protos, name).DESCRIPTOR)
        numbers = {what[0]: field for field, what in ours.items() if isinstance(what, tuple)}
        for field, what in theirs.items():
            if ours.get(field) != what:
                differences[f"{name}.{field}"] = what, ours.get(field), numbers.get(what)
    assert not differences


def test_enums_are_tensorboards():
    from tensorboard.compat.proto import types_pb2

    assert dict(protos.DataType.items()) == dict(types_pb2.DataType.items())
    file = protos.file_module("framework/types")
    assert file.DataType.Name(file.DT_HALF) == "DT_HALF" and file.DESCRIPTOR.package == "tensorflow"


def test_fields_that_tensorflow_lacks_have_large_numbers():
    own = {
        (message.name, field.name): field.number
        for name in protos.files()
        for message in protos.file_module(name).DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if field.number > 1000
    }
    assert own == dict.fromkeys(
        [
            ("ConfigProto", "memory_limit_in_bytes"),
            ("GPUOptions", "disable_cuda_graphs"),
            ("RunOptions", "check_numerics"),
        ],
        100001,
    )


def test_every_file_is_served_as_tensorflow_has_it():
    for name in protos.files():
        module = protos.file_module(name)
        assert module.DESCRIPTOR.name == f"tensorflow/core/{name}.proto"
        if module.DESCRIPTOR.package == "tensorflow":
            for message in module.DESCRIPTOR.message_types_by_name:
                assert getattr(module, message) is getattr(protos, message)


def test_help_shows_the_text_of_the_file():
    text = tf.ConfigProto.__doc__
    assert text.startswith("Options of a Session.\n\nintra_op_parallelism_threads: threads that one")
    assert "\nmessage ConfigProto {\n" in text and text.endswith("  int64 memory_limit_in_bytes = 100001;\n}\n")
    assert "message NoneValue {}" in protos.NoneValue.__doc__


# ---- When they are loaded, and beside what


def test_programs_without_messages_load_none():
    done = run(
        "import sys, tfcore as tf\n"
        "v = tf.Variable(1.0)\n"
        "with tf.Session() as session:\n"
        "    session.run(v.initializer)\n"
        "    assert session.run(v + 1.0) == 2\n"
        "assert not [m for m in sys.modules if 'protobuf' in m or 'tensorboard' in m]"
    )
    assert done.returncode == 0, done.stderr


BOTH = "import tensorboard.compat.proto.event_pb2 as theirs\n", "import tfcore as tf; tf.Event()\n"


@pytest.mark.parametrize("order", [BOTH, BOTH[::-1]], ids=["tensorboard first", "tfcore first"])
def test_tensorboard_in_the_same_process(order):
    done = run(
        "".join(order) + "assert theirs.Event is not tf.Event\n"
        "event = theirs.Event.FromString(tf.Event(step=3, summary=tf.Summary()).SerializeToString())\n"
        "assert event.step == 3 and event.WhichOneof('what') == 'summary'"
    )
    assert done.returncode == 0, done.stderr


def test_a_process_that_has_other_messages_of_these_names():
    """As with TensorFlow itself, whose files have the same names and other contents."""
    done = run(
        "from google.protobuf import descriptor_pb2, descriptor_pool\n"
        "file = descriptor_pb2.FileDescriptorProto(name='tensorflow/core/framework/graph.proto')\n"
        "file.package = 'tensorflow'\n"
        "file.message_type.add(name='GraphDef').field.add(name='other', number=1, type=5, label=1)\n"
        "descriptor_pool.Default().AddSerializedFile(file.SerializeToString())\n"
        "import tfcore as tf\n"
        "assert [f.name for f in tf.GraphDef.DESCRIPTOR.fields][0] == 'node'"
    )
    assert done.returncode == 0, done.stderr


def test_threads_that_load_them_at_the_same_time_get_the_same():
    done = run(
        "import sys, threading\n"
        "from tfcore.framework import protos\n"
        "sys.setswitchinterval(1e-6)\n"
        "start, found = threading.Barrier(8), []\n"
        "def load():\n"
        "    start.wait()\n"
        "    found.append(type(protos.GraphDef().node.add()))\n"
        "threads = [threading.Thread(target=load) for _ in range(8)]\n"
        "[t.start() for t in threads], [t.join() for t in threads]\n"
        "assert found == [protos.NodeDef] * 8, found"
    )
    assert done.returncode == 0, done.stderr


# ---- What programs do with them


def filled(message, draw):
    """Sets random fields of a message, and of those in it."""
    numbers = {1: st.floats(allow_nan=False), 2: st.floats(width=32, allow_nan=False), 8: st.booleans()}
    numbers |= {9: st.text(max_size=4), 13: st.integers(0, 2**32 - 1), 4: st.integers(0, 2**64 - 1)}
    numbers |= {5: st.integers(-(2**31), 2**31 - 1), 3: st.integers(-(2**63), 2**63 - 1)}
    fields = [f for f in message.DESCRIPTOR.fields if f.type in numbers or f.type == 11]
    for field in draw(st.lists(st.sampled_from(fields), max_size=4, unique=True)) if fields else ():
        value = getattr(message, field.name)
        if field.type != 11 and isinstance(field.default_value, list):
            value.extend(draw(st.lists(numbers[field.type], max_size=3)))
        elif field.type != 11:
            setattr(message, field.name, draw(numbers[field.type]))
        elif isinstance(value, Message):
            value.SetInParent()
            filled(value, draw)
        elif not field.message_type.GetOptions().map_entry:
            filled(value.add(), draw)
    return message


OPTIONS = ["ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions", "RunOptions", "ThreadPoolOptionProto"]


@given(st.data(), st.sampled_from(OPTIONS))
def test_any_message_passes_through_tensorboards_classes(data, name):
    ours = filled(getattr(protos, name)(), data.draw)
    theirs = getattr(config_pb2, name).FromString(ours.SerializeToString())
    assert theirs.SerializeToString(deterministic=True) == ours.SerializeToString(deterministic=True)
    again = protos.as_message(type(ours), theirs)
    assert type(again) is type(ours) and again == ours
    assert text_format.Parse(str(ours), type(ours)()) == ours
    assert json_format.Parse(json_format.MessageToJson(ours), type(ours)()) == ours


def _messages():
    graph = tf.GraphDef()
    graph.node.add(name="x", op="Const").attr["T"].type = protos.DataType.Value("DT_FLOAT")
    config = tf.ConfigProto(device_count={"CPU": 2}, gpu_options={"allow_growth": True}, device_filters=["/job:a"])
    summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=1.5)])
    packed = protos.Any()
    packed.Pack(tf.TensorInfo(name="x:0"))
    context = protos.ControlFlowContextDef(cond_ctxt=protos.CondContextDef(branch=1))
    parts = [graph.node[0], graph.node[0].attr["T"], summary.value[0], config.gpu_options]
    return [graph, config, summary, packed, context, *parts]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_copies(protocol):
    for message in _messages():
        for again in (pickle.loads(pickle.dumps(message, protocol)), copy.deepcopy(message), copy.copy(message)):
            assert type(again) is type(message) and again == message and again is not message
        assert text_format.Merge(str(message), type(message)()) == message
        assert pickle.loads(pickle.dumps(type(message))) is type(message)


def test_a_message_that_was_unpickled_first_is_of_the_same_class():
    done = run(
        f"import pickle; m = pickle.loads({pickle.dumps(tf.Summary.Value(tag='a'))!r})\n"
        "import tfcore as tf; assert type(m) is tf.Summary.Value and m.tag == 'a'"
    )
    assert done.returncode == 0, done.stderr


def test_interface():
    config = tf.ConfigProto(intra_op_parallelism_threads=np.int64(3), gpu_options=None)
    assert not config.HasField("gpu_options") and not config.gpu_options.allow_growth
    config.gpu_options.allow_growth = True
    assert config.HasField("gpu_options") and isinstance(config, Message)
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    assert tf.OptimizerOptions.Level.Value("L0") == tf.OptimizerOptions.L0 == -1
    assert tf.OptimizerOptions(opt_level="L0").opt_level == tf.RunOptions.NO_TRACE - 1
    assert protos.AttrValue(i=3).WhichOneof("value") == "i" and protos.AttrValue().WhichOneof("value") is None
    assert tf.ConfigProto.DESCRIPTOR.full_name == "tensorflow.ConfigProto"
    assert tf.ConfigProto.__module__ == "tfcore.framework.protos"
    assert tf.Summary.Value.__qualname__ == "Summary.Value"
    copied = tf.ConfigProto()
    copied.CopyFrom(config)
    copied.MergeFrom(tf.ConfigProto(device_filters=["a"]))
    assert copied != config and copied.device_filters == ["a"]
    unknown = tf.ConfigProto.FromString(b"\xc8\x3e\x05")
    assert unknown.SerializeToString() == b"\xc8\x3e\x05"


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: tf.ConfigProto(foo=1), ValueError, 'Protocol message ConfigProto has no "foo" field.'),
        (lambda: setattr(tf.ConfigProto(), "foo", 1), AttributeError, 'has no "foo" field'),
        (lambda: setattr(tf.ConfigProto(), "gpu_options", tf.GPUOptions()), AttributeError, "Assignment not allowed"),
        (lambda: tf.ConfigProto(intra_op_parallelism_threads="a"), TypeError, "cannot be interpreted as an integer"),
        (lambda: tf.ConfigProto.FromString(b"\x08"), DecodeError, "Error parsing message with type 'tensorflow.Config"),
        (lambda: tf.ConfigProto().CopyFrom(tf.GPUOptions()), TypeError, "must be instance of same class"),
        (lambda: hash(tf.ConfigProto()), TypeError, "unhashable type: 'ConfigProto'"),
        (lambda: protos.Nonsense, AttributeError, "module 'tfcore.framework.protos' has no attribute 'Nonsense'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


# ---- Messages of other packages' classes


def test_as_message():
    theirs = graph_pb2.GraphDef(versions={"producer": 3})
    ours = protos.as_message(tf.GraphDef, theirs)
    assert type(ours) is tf.GraphDef and ours.versions.producer == 3
    assert protos.as_message(tf.GraphDef, ours) is ours
    for other in (None, "graph", graph_pb2.GraphDef, tf.GraphDef, summary_pb2.Summary(), tf.RunMetadata()):
        assert protos.as_message(tf.GraphDef, other) is other
    value = summary_pb2.Summary.Value(tag="a")
    assert protos.as_message(tf.Summary.Value, value).tag == "a" and protos.as_message(tf.Summary, value) is value
    assert type(protos.as_message(protos.Any, any_pb2.Any())) is protos.Any


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.get_variable("v", [], initializer=tf.zeros_initializer()), name="y")
        yield graph


def test_tensorboards_messages_are_taken(graph, tmp_path):
    saver = tf.train.Saver()
    exported = tf.train.export_meta_graph(
        saver_def=saver_pb2.SaverDef.FromString(saver.as_saver_def().SerializeToString()),
        graph_def=graph_pb2.GraphDef.FromString(graph.as_graph_def().SerializeToString()),
        meta_info_def=meta_graph_pb2.MetaGraphDef.MetaInfoDef(meta_graph_version="3"),
    )
    assert exported.meta_info_def.meta_graph_version == "3" and exported.HasField("saver_def")
    theirs = meta_graph_pb2.MetaGraphDef.FromString(exported.SerializeToString())
    with tf.Graph().as_default() as again:
        assert tf.train.import_meta_graph(theirs).saver_def == saver.saver_def
        assert tf.train.Saver(saver_def=theirs.saver_def).saver_def == saver.saver_def
        tf.import_graph_def(theirs.graph_def, name="again")
        assert again.get_operation_by_name("again/y")
    assert [n.name for n in tf.graph_util.extract_sub_graph(theirs.graph_def, ["v"]).node] == ["v"]
    tensor = event_pb2.Event(summary={"value": [{"tensor": {"dtype": 3, "int_val": [7]}}]}).summary.value[0].tensor
    assert tf.make_tensor_proto(tensor).int_val == [7] and tf.make_ndarray(tensor) == 7
    assert tf.constant(1.0).shape.as_proto() == protos.TensorShapeProto()
    info = meta_graph_pb2.TensorInfo(name="y:0")
    signature = tf.saved_model.build_signature_def({"y": info}, {"y": info}, "name")
    assert signature.inputs["y"].name == "y:0"
    config = config_pb2.ConfigProto(device_count={"CPU": 2}, intra_op_parallelism_threads=1)
    with tf.Session(graph=graph, config=config) as session:
        assert len(session.list_devices()) >= 2
        session.run(tf.global_variables_initializer(), options=config_pb2.RunOptions(timeout_in_ms=100_000))
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(summary_pb2.Summary(value=[{"tag": "a", "simple_value": 2}]), 1)
        writer.add_session_log(event_pb2.SessionLog(status=1), 2)
        writer.add_graph(theirs.graph_def)
        writer.add_meta_graph(theirs)
        writer.add_event(event_pb2.Event(step=9))
    (path,) = tmp_path.iterdir()
    events = [event_pb2.Event.FromString(record) for record in RawEventFileLoader(str(path)).Load()]
    assert [event.WhichOneof("what") for event in events[1:]] == [
        "summary",
        "session_log",
        "graph_def",
        "meta_graph_def",
        None,
    ]


def test_functions_take_messages_of_tensorboard():
    """Where TensorFlow's functions take a message, one of tensorboard's class will do."""
    from tensorboard.compat.proto import graph_pb2, summary_pb2

    graph = graph_pb2.GraphDef(node=[{"name": "a", "op": "NoOp"}, {"name": "b", "op": "NoOp", "input": ["^a"]}])
    with tf.Graph().as_default():
        tf.import_graph_def(graph, name="")
        metadata = summary_pb2.SummaryMetadata(display_name="shown")
        summary = tf.summary.tensor_summary("t", tf.constant(1.0), summary_metadata=metadata)
        with tf.Session() as sess:
            value = tf.Summary.FromString(sess.run(summary)).value[0]
    assert value.metadata.display_name == "shown"
    assert [n.name for n in tf.graph_util.extract_sub_graph(graph, ["b"]).node] == ["a", "b"]
    assert [n.name for n in tf.graph_util.remove_training_nodes(graph).node] == ["a", "b"]
    copy = tf.RunMetadata()
    copy.CopyFrom(tf.RunMetadata(partition_graphs=[tf.GraphDef()]).to_proto())
    assert len(copy.partition_graphs) == 1
    with pytest.raises(TypeError):
        copy.CopyFrom(tf.GraphDef())
    assert len(copy.partition_graphs) == 1  # as before the copy that failed


def test_threads_that_come_first_make_one_pool(monkeypatch):
    monkeypatch.setattr(protos, "_loaded", [])
    together = threading.Barrier(8)

    def load():
        together.wait()
        return protos._pool()

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        pools = [thread.result() for thread in [threads.submit(load) for _ in range(8)]]
    assert len(protos._loaded) == 1 and {id(pool) for pool in pools} == {id(protos._loaded[0][0])}
