"""The memory of a peer that has ended (payload.c): who unmaps it, and when."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile

import pytest

from tests.distributed.transport.simulated_mpi import FOLDERS

# What the file needs of the rest. `munmap` is counted, and threads are begun when the test says so.
REST = """
#include "fabric/payload.h"
#include "fabric/arena.h"

tfc_endpoint tfc_here;
static int spawns = 1, unmapped;
static void (*job)(void*);
static void* job_arg;
static char arena[64];
static tfc_peer peer;

int fake_munmap(void* at, size_t bytes) {
  unmapped += at == arena && bytes == sizeof arena;
  return 0;
}
bool tfc_spawn(void (*fn)(void*), void* arg) {
  if (!spawns) return false;
  job = fn, job_arg = arg;
  return true;
}
bool tfc_tensor_new(tfc_tensor* t, int rank, const int64_t* dims) { return false; }
int tfc_string_assign(tfc_tensor* t, int64_t i, const char* text, size_t size) { return TFC_INTERNAL; }
bool tfc_arena_holds(const void* p, size_t bytes) { return false; }
size_t tfc_arena_offset(const void* p) { return 0; }
void tfc_send_release(tfc_peer* p, uint64_t token) {}

/* ---- For the test */
void prepare(int running, int can_spawn) {
  tfc_here = (tfc_endpoint){.running = running};
  peer = (tfc_peer){.arena = arena, .arena_bytes = sizeof arena, .readers = 1};
  spawns = can_spawn, unmapped = 0, job = NULL;
}
int read_arena(void) { return tfc_read_arena(&peer); }
void leave_arena(void) { tfc_leave_arena(&peer); }
int run_job(void) {
  if (!job) return 0;
  job(job_arg);
  return 1;
}
int count_unmapped(void) { return unmapped; }
"""


@functools.cache
def library():
    """The file, compiled once. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    with tempfile.TemporaryDirectory(prefix="tfcore-test-") as folder:
        rest, target = os.path.join(folder, "rest.c"), os.path.join(folder, "payload.so")
        with open(rest, "w", encoding="utf-8") as file:
            file.write(REST)
        source = os.path.join(FOLDERS[0], "fabric", "payload.c")
        flags = ["-O1", "-g", "-std=gnu11", "-pthread", "-shared", "-fPIC", *(f"-I{path}" for path in FOLDERS)]
        subprocess.run(["gcc", *flags, "-Dmunmap=fake_munmap", source, rest, "-o", target], check=True)
        return ctypes.CDLL(target)


def test_the_last_reader_unmaps_it_on_another_thread():
    """That frees the memory of a process that may have been large, and takes seconds: this thread may be polling."""
    c = library()
    c.prepare(True, True)
    assert c.read_arena()
    c.leave_arena()
    assert not c.run_job() and c.count_unmapped() == 0  # until the peer has ended
    c.leave_arena()
    assert c.count_unmapped() == 0 and c.run_job() and c.count_unmapped() == 1
    assert not c.read_arena()


@pytest.mark.parametrize(("running", "can_spawn"), [(True, False), (False, True)])
def test_it_is_unmapped_at_once_without_threads_or_without_a_fabric(running, can_spawn):
    c = library()
    c.prepare(running, can_spawn)
    c.leave_arena()
    assert c.count_unmapped() == 1 and not c.run_job()
