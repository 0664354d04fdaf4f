"""The runtime: compiled modules, which exist in a source tree only after a build."""

import importlib.util
import os

if importlib.util.find_spec("tfcore.core.runtime") is None:
    raise ImportError(
        "tfcore is not built for this Python: its compiled modules are missing. Run `pip install -e .` in "
        f"{os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))}."
    )
