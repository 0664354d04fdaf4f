"""Export of graphs for inference to ONNX: `tfcore.onnx.export`."""

from tfcore.framework.lazy import lazy_names as _lazy_names

__all__ = ["export"]

__getattr__, __dir__ = _lazy_names(globals(), {"export": "tfcore.onnx.export_graph:export"})
