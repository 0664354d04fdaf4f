"""Warns when each process of a job trains the model alone because none of them has made a Server."""

import os
import sys
import threading

from tfcore.core.threads import progress

SECONDS = 10
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")
_is_watching = False
_is_task = False


def note_task():
    """This process is a task of a cluster."""
    global _is_task
    _is_task = True


def watch():
    """Called for each session of this process alone. The first process of a job that `tfcore.run` started says after
    SECONDS if it still is not a task.
    """
    global _is_watching
    if _is_watching or "TFCORE_JOB" not in os.environ or _variable(_RANKS) != "0" or _variable(_SIZES) in ("1", None):
        return
    _is_watching = True
    timer = threading.Timer(SECONDS, _tell)
    timer.daemon = True
    timer.start()


def _tell():
    if _is_task or "mpi4py.MPI" in sys.modules:
        return
    progress.write(
        f"tfcore: {_variable(_SIZES)} processes run this program and none has made a tf.train.Server: each works by "
        "itself. Begin with cluster = tf.train.ClusterSpec.from_mpi() and server = tf.train.Server(cluster), and "
        "pass server.target to the sessions.\n"
    )


def _variable(names):
    return next((os.environ[name] for name in names if name in os.environ), None)
