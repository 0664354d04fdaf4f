"""The protocol buffer classes of TensorFlow's file formats: `proto.GraphDef`, `proto.TensorProto`, ...

They come with the `tensorboard` package, which is imported on first use.
"""

import importlib

_FILES = {
    "attr_value": ("AttrValue", "NameAttrList"),
    "cluster": ("ClusterDef", "JobDef"),
    "event": ("Event", "LogMessage", "SessionLog"),
    "function": ("FunctionDef", "FunctionDefLibrary"),
    "graph": ("GraphDef",),
    "meta_graph": ("CollectionDef", "MetaGraphDef", "SignatureDef", "TensorInfo"),
    "node_def": ("NodeDef",),
    "op_def": ("OpDef", "OpList"),
    "saver": ("SaverDef",),
    "summary": ("HistogramProto", "Summary", "SummaryMetadata"),
    "tensor": ("TensorProto",),
    "tensor_shape": ("TensorShapeProto",),
    "variable": ("SaveSliceInfoDef", "VariableDef"),
    "versions": ("VersionDef",),
}
CLASSES = {name: file for file, names in _FILES.items() for name in names}
_MORE = {
    "AssetFileDef": "meta_graph",
    "CostGraphDef": "cost_graph",
    "StepStats": "step_stats",
    "SummaryDescription": "summary",
    "TaggedRunMetadata": "event",
    "TrackableObjectGraph": "trackable_object_graph",
}  # not public
_OWN = {  # tensorboard lacks them
    "CheckpointState": "checkpoint_state_pb",
    "CondContextDef": "control_flow_pb",
    "ControlFlowContextDef": "control_flow_pb",
    "QueueRunnerDef": "queue_runner_pb",
    "SavedModel": "saved_model_pb",
    "ValuesDef": "control_flow_pb",
    "WhileContextDef": "control_flow_pb",
}


def __getattr__(name):
    file = CLASSES.get(name) or _MORE.get(name)
    if file is None and name not in _OWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        path = f"tensorboard.compat.proto.{file}_pb2" if file else f"tfcore.framework.{_OWN[name]}"
        module = importlib.import_module(path)
    except ImportError as error:
        raise ImportError(
            f"{name} needs the protocol buffer classes of the tensorboard package ({error}). "
            "Install them with: pip install 'tfcore[graphdef]'"
        ) from error
    found = globals()[name] = getattr(module, name)
    return found
