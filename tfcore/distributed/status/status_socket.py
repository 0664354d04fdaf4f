"""Where the tasks of this user on this host can be asked for their status: Unix sockets in a folder of the user's.

The folder is `tfcore` in XDG_RUNTIME_DIR, or `tfcore-UID` where temporary files are; nobody else may enter it. A task's
socket is JOB-RANK.sock. Whoever connects and sends QUESTION gets the status of the job as JSON; the connection is a
stream that the task closes.
"""

import contextlib
import hashlib
import json
import os
import re
import socket
import stat
import struct
import tempfile

from tfcore.framework import errors

QUESTION = b"status\n"
LARGEST_ANSWER = 64 << 20  # bytes
ATTEMPTS = 10
_NAME = re.compile(r"([0-9a-f]{8})-([0-9]+)\.sock")
_CREDENTIALS = struct.Struct("3i")


def job_name(token):
    """A name for the job with this token, which does not give it away."""
    return hashlib.blake2b(token.to_bytes(8, "little"), digest_size=4).hexdigest()


def _folder():
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return os.path.join(runtime, "tfcore") if runtime else os.path.join(tempfile.gettempdir(), f"tfcore-{os.geteuid()}")


def open_folder():
    """A descriptor of the folder, which is made if it is not there. The last task that ends removes it.

    Raises:
      PermissionDeniedError: the folder is not this user's own, or others may enter it.
    """
    user, path = os.geteuid(), _folder()
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(folder)
    if found.st_uid != user or stat.S_IMODE(found.st_mode) & 0o077:
        os.close(folder)
        raise errors.PermissionDeniedError(
            None,
            None,
            f"{path} must belong to user {user}, and nobody else may enter it: other users could pose as tasks",
        )
    return folder


def _path(folder, name):
    """An address within an open folder: it can't be replaced meanwhile, and is short enough for any folder."""
    return f"/proc/self/fd/{folder}/{name}"


def listen(job, rank):
    """A listening socket for a task; `forget` it at the end."""
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(FileNotFoundError):  # a task that ended has removed the folder meanwhile
            return _listen(job, rank)
    return _listen(job, rank)


def _listen(job, rank):
    folder = open_folder()
    name = f"{job}-{rank}.sock"
    new = f"{name}.{os.getpid()}"
    try:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(_path(folder, new))
            listening.listen(8)
            os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)  # whoever sees it can connect
        except BaseException:
            listening.close()
            raise
        return listening
    finally:
        os.close(folder)


def forget(job, ranks):
    """Removes sockets of tasks that end or were killed, and the folder with the last one."""
    with contextlib.suppress(OSError, errors.PermissionDeniedError):
        folder = open_folder()
        try:
            for rank in ranks:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{job}-{rank}.sock", dir_fd=folder)
            os.rmdir(_folder())  # fails while there are others
        finally:
            os.close(folder)


def jobs():
    """The tasks of this user on this host: {job: [ranks]}. Some may have ended without a word."""
    folder = open_folder()
    try:
        names = [found.groups() for found in map(_NAME.fullmatch, os.listdir(folder)) if found]
    finally:
        os.close(folder)
    tasks = {}
    for job, rank in sorted(names, key=lambda name: (name[0], int(name[1]))):
        tasks.setdefault(job, []).append(int(rank))
    return tasks


def is_of_this_user(connection):
    """Whether the process at the other end is this user's, or the system's."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return _CREDENTIALS.unpack(credentials)[1] in (os.geteuid(), 0)


def is_asked(connection):
    """Whether the other end asks: `sweep` only looks whether somebody listens."""
    question = b""
    while len(question) < len(QUESTION) and (part := connection.recv(len(QUESTION) - len(question))):
        question += part
    return question == QUESTION


def sweep():
    """Removes the sockets of tasks that were killed."""
    folder = open_folder()
    try:
        for name in filter(_NAME.fullmatch, os.listdir(folder)):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as connection:
                try:
                    connection.connect(_path(folder, name))
                except ConnectionRefusedError:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=folder)
                except OSError:
                    pass  # it is there, and busy
    finally:
        os.close(folder)


def ask(job, rank, seconds):
    """The status of a job, as one of its tasks sees it: see `status.of_cluster`.

    Raises:
      NotFoundError: the task has ended. Its socket is removed.
      DeadlineExceededError: it does not answer.
    """
    what = f"Rank {rank} of job {job}"
    folder = open_folder()
    name = f"{job}-{rank}.sock"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(_path(folder, name))
            connection.sendall(QUESTION)
            return json.loads(_read(connection, what))
    except (ConnectionRefusedError, FileNotFoundError):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        raise errors.NotFoundError(None, None, f"{what} has ended") from None
    except (TimeoutError, BlockingIOError):
        raise errors.DeadlineExceededError(None, None, f"{what} does not answer within {seconds:g} s") from None
    except (ConnectionError, ValueError) as error:
        raise errors.NotFoundError(None, None, f"{what} has ended, or is ending ({error})") from None
    finally:
        os.close(folder)


def _read(connection, what):
    parts, size = [], 0
    while part := connection.recv(1 << 16):
        parts.append(part)
        size += len(part)
        if size > LARGEST_ANSWER:
            raise errors.ResourceExhaustedError(None, None, f"{what} answers with more than {LARGEST_ANSWER} bytes")
    return b"".join(parts)
