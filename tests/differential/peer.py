"""The other library: a process of the interpreter that has TensorFlow, started once and asked many times."""

import os
import subprocess
import tempfile

from tests.differential import wire
from tfcore.framework.definitions.op_def import registered_ops

VARIABLE = "TFCORE_TENSORFLOW"
NOT_INSTALLED = f"TensorFlow is not installed: {VARIABLE} names no Python interpreter that has it"
_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")

# Ops whose gradient is another op that has kernels for fewer types.
_GRADIENTS = {"MaxPoolWithArgmax": "MaxPoolGradWithArgmax", "MaxPoolGradWithArgmax": "MaxPoolGradGradWithArgmax"}


class PeerEndedError(Exception):
    """TensorFlow's process ended (a failed CHECK, a signal) instead of answering."""


def python():
    """The interpreter that the environment names, None if it names none."""
    return os.environ.get(VARIABLE) or None


class TensorFlow:
    """TensorFlow in the process of another interpreter; `with` ends it."""

    def __init__(self, python):
        self._python = python
        self._process = None
        self.version = self._kernels = None
        self._start()

    def _start(self):
        self._log = tempfile.TemporaryFile()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        self._process = subprocess.Popen([self._python, _SCRIPT], **pipes)
        hello = wire.receive(self._process.stdout)
        if hello is None:
            raise RuntimeError(f"{self._python} does not start TensorFlow:\n{self._end()}")
        self.version = hello["version"]

    def ask(self, **request):
        """The worker's answer to a request (see worker.py).

        Raises:
          PeerEndedError: the process ended; the next request starts another one.
        """
        if self._process is None:
            self._start()
        try:
            wire.send(self._process.stdin, request)
            answer = wire.receive(self._process.stdout)
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise PeerEndedError(self._end())
        return answer

    def has_kernel(self, op_type, types, gradient=False):
        """Whether TensorFlow has a CPU kernel of this op, or of its gradient, for the types {type attribute: DType}."""
        if gradient and not self.has_kernel(_GRADIENTS.get(op_type, op_type), types):
            return False
        if op_type == "AccumulateNV2":  # has none: TensorFlow rewrites it before a graph is placed
            return True
        wanted = {name: t.as_datatype_enum for name, t in types.items()}
        return any(
            all(not kernel.get(name) or number in kernel[name] for name, number in wanted.items())
            for kernel in self._about(op_type)["kernels"]
        )

    def removed_in(self, op_type):
        """The GraphDef version from which on TensorFlow refuses an op, 0 if it does not."""
        return self._about(op_type)["removed"]

    def _about(self, op_type):
        if self._kernels is None:
            self._kernels = self.ask(kernels=[op.name for op in registered_ops()])
        return self._kernels.get(op_type) or {"kernels": [], "removed": 0}

    def _end(self):
        """Waits for the process; the end of what it printed."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._process = None
        self._log.seek(0)
        text = self._log.read().decode(errors="replace")
        self._log.close()
        fatal = [line for line in text.splitlines() if "Check failed" in line or ": F " in line or "Fatal" in line]
        return "\n".join(fatal) or text[-2000:]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self._process is not None:
            self._end()
