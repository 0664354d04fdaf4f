"""Objects that outlive steps keep what they had when the system has no memory left."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.alone]

# Loaded before the C library. From fail_from() on, allocations of these sizes fail.
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static size_t least = -1, most; /* atomic */

__attribute__((visibility("default"))) void fail_from(size_t from, size_t to) {
  __atomic_store_n(&most, to, __ATOMIC_SEQ_CST);
  __atomic_store_n(&least, from, __ATOMIC_SEQ_CST);
}
static int fails(size_t n) {
  return n >= __atomic_load_n(&least, __ATOMIC_RELAXED) && n <= __atomic_load_n(&most, __ATOMIC_RELAXED);
}
void *__libc_malloc(size_t);
void *__libc_realloc(void *, size_t);
void *malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
void *realloc(void *p, size_t n) { return fails(n) ? NULL : __libc_realloc(p, n); }
"""

TABLE = """
from tests.ops.state.test_lookup import Table
t = Table(tf.string, tf.string)
keys = [b"k%d" % i for i in range(50)]
t.run(sess, t.load, keys, [b"old"] * 50)
library.fail_from(7001, 7001)
try:
    t.run(sess, t.load, keys[:30], [b"new"] * 29 + [b"x" * 7001])
except tf.errors.ResourceExhaustedError:
    print("failed")
library.fail_from(-1, 0)
keys_now, values = t.run(sess, t.export)
print(sorted(keys_now) == sorted(keys) and set(values) == {b"old"})
"""

QUEUE = """
import threading
q = tf.FIFOQueue(5000, tf.int32, shapes=[[]])
put, size = sess.make_callable(q.enqueue(1)), q.size()
late = tf.RunOptions(timeout_in_ms=2000)
def wait():
    try:
        sess.run(q.dequeue_many(3000), options=late)
    except tf.errors.DeadlineExceededError:
        print("failed")
waiting = threading.Thread(target=wait)
waiting.start()
for _ in range(2000):
    put()
library.fail_from(16384, 1 << 30)  # the list of 2000 runs is larger
waiting.join()
library.fail_from(-1, 0)
print(sess.run(size))
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux") or "LD_PRELOAD" in os.environ:
        pytest.skip("needs a C compiler, glibc, and no other library loaded first")
    folder = tmp_path_factory.mktemp("failing")
    (folder / "failing.c").write_text(SOURCE)
    library = str(folder / "failing.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, str(folder / "failing.c")], check=True)
    return library


def run(library, program):
    begin = "import ctypes, tfcore as tf\nlibrary = ctypes.CDLL(None)\nsess = tf.Session()\n"
    begin += "library.fail_from.argtypes = [ctypes.c_size_t, ctypes.c_size_t]\n"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    environment = {**os.environ, "LD_PRELOAD": library}
    done = subprocess.run([sys.executable, "-c", begin + program], cwd=root, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()


def test_a_table_that_can_not_be_imported_stays_as_it_is(failing):
    assert run(failing, TABLE) == ["failed", "True"]


def test_what_a_dequeue_gives_back_is_not_lost(failing):
    assert run(failing, QUEUE) == ["failed", "2000"]
