"""The processes of emulated GPUs: what ends them, what outlives what, forks, faults of host code."""

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from tests.gpu.emulated import ENVIRONMENT, FOLDER, Gpu, Vector
from tfcore.gpu import driver, host_build

pytestmark = [
    pytest.mark.skipif(not os.path.exists(driver.EMULATOR), reason="the emulator is not built"),
    pytest.mark.alone,
]
ROOT = os.path.dirname(os.path.dirname(FOLDER))
PROGRAM = "tfcore_emulated_gpu"
PATIENCE = 60 * int(os.environ.get("TFCORE_TEST_PATIENCE", "1"))
# Uses the library without Python's tfcore, so that the program starts fast.
PRELUDE = """
import ctypes, os, signal, sys, time
cuda = ctypes.CDLL(sys.argv[1])
def get(name, *arguments):
    result = ctypes.c_uint64()
    code = getattr(cuda, name)(ctypes.byref(result), *arguments)
    assert code == 0, (name, code)
    return result.value
assert cuda.cuInit(0) == 0
assert cuda.cuCtxSetCurrent(ctypes.c_uint64(get("cuDevicePrimaryCtxRetain", 0))) == 0
p = get("cuMemAlloc_v2", ctypes.c_size_t(1000))
"""

HANGING = """
#include "kernels_cuda/common/kernel.cuh"
struct hang_params { volatile int* word; };
TFC_KERNEL(hang, hang_params, p) { while (*p.word != 77) {} }
"""


def start(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code), driver.EMULATOR],
        env={**os.environ, **ENVIRONMENT, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(code, **environment):
    """The exit status, stdout and stderr of a program."""
    process = start(code, **environment)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def children(parent):
    """Numbers of the device processes of a process."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit():
                with open(f"/proc/{entry}/stat") as file:
                    name, rest = file.read().rsplit(")", 1)
                if int(rest.split()[1]) == parent and PROGRAM[:15] in name:
                    found.append(int(entry))
        except OSError:
            pass
    return found


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_host_code_that_touches_device_memory_faults():
    status, _, err = run("ctypes.string_at(p + 5, 1)", TFCORE_EMULATED_GPU_EXPLAIN="1")
    assert status == -signal.SIGSEGV
    assert "host code touched byte 5 of an allocation of 1000 bytes" in err and "emulated GPU 0" in err


def test_a_host_function_that_touches_device_memory_faults():
    code = """
    touch = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: ctypes.memset(p, 1, 1) and None)
    cuda.cuLaunchHostFunc(None, touch, None)
    cuda.cuCtxSynchronize()
    """
    status, _, err = run(code, TFCORE_EMULATED_GPU_EXPLAIN="1")
    assert status == -signal.SIGSEGV and "host code touched byte 0 of an allocation" in err


def test_freed_pinned_memory_faults():
    code = """
    q = get("cuMemHostAlloc", ctypes.c_size_t(100), 0)
    ctypes.memset(q, 1, 100)
    assert cuda.cuMemFreeHost(ctypes.c_void_p(q)) == 0
    print("freed", flush=True)
    ctypes.memset(q, 1, 100)
    """
    status, out, err = run(code, TFCORE_EMULATED_GPU_EXPLAIN="1")
    assert status == -signal.SIGSEGV and out == "freed\n" and "pinned memory that is not allocated" in err


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_dead_device_process_is_an_error_until_reset(number):
    gpu = Gpu()
    p, stream = gpu.allocate(100), gpu.stream()
    (process,) = children(os.getpid())
    os.kill(process, number)
    wait_for(lambda: gpu.code("cuCtxSynchronize") == 46)
    assert gpu.code("cuMemsetD8Async", p, 0, 100, stream) == 46
    assert gpu.code("cuMemFree_v2", p) == 46
    assert f"ended by signal {number}" in gpu.driver.report()
    gpu.call("cuDevicePrimaryCtxReset_v2", 0)
    assert gpu.read(gpu.allocate(3), 3) == b"\xcb" * 3
    gpu.close()
    wait_for(lambda: not children(os.getpid()))


def test_a_thread_that_waits_hears_of_the_death(tmp_path):
    gpu = Gpu()
    function = gpu.function(hanging_kernel(tmp_path), "hang")
    gpu.driver.launch(function, (1,), (1,), bytes(ctypes.c_uint64(gpu.allocate(4))))
    codes = []

    def wait():
        gpu.use()
        codes.append(gpu.code("cuCtxSynchronize"))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    (process,) = children(os.getpid())
    os.kill(process, signal.SIGKILL)
    thread.join(PATIENCE)
    assert codes == [46]
    gpu.close()


def test_a_thread_hears_of_the_death_although_a_host_function_blocks():
    gpu = Gpu()
    blocked, other, release = gpu.stream(), gpu.stream(), threading.Event()
    waits = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: release.wait(PATIENCE) and None)
    codes = []
    gpu.call("cuLaunchHostFunc", blocked, waits, None)
    gpu.call("cuStreamSynchronize", other)

    def wait():
        gpu.use()
        codes.append(gpu.code("cuStreamSynchronize", blocked))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    (process,) = children(os.getpid())
    os.kill(process, signal.SIGKILL)
    thread.join(PATIENCE / 4)
    heard = list(codes)
    release.set()
    thread.join()
    assert heard == [46]
    gpu.close()


def test_death_is_noticed_where_nobody_waits_for_children():
    code = """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    tasks = [f"/proc/self/task/{task}/children" for task in os.listdir("/proc/self/task")]
    (child,) = [int(number) for task in tasks for number in open(task).read().split()]
    os.kill(child, signal.SIGKILL)
    while not cuda.cuCtxSynchronize():
        pass
    print(cuda.cuCtxSynchronize(), cuda.cuDevicePrimaryCtxReset_v2(0), cuda.cuCtxSynchronize())
    """
    assert run(code) == (0, "46 0 0\n", "")


def hanging_kernel(folder):
    """A module whose kernel waits for a word that nobody writes."""
    source = os.path.join(folder, "hanging.cu")
    with open(source, "w") as file:
        file.write(HANGING)
    return host_build.compile_family("hanging", sources=str(folder))


def test_a_reset_ends_a_kernel_that_never_ends(tmp_path):
    gpu = Gpu()
    function = gpu.function(hanging_kernel(tmp_path), "hang")
    stream = gpu.stream()
    gpu.driver.launch(function, (1,), (1,), bytes(ctypes.c_uint64(gpu.allocate(4))), stream)
    time.sleep(0.1)
    assert gpu.code("cuStreamQuery", stream) == 600
    (process,) = children(os.getpid())
    gpu.call("cuDevicePrimaryCtxReset_v2", 0)
    assert not is_running(process)
    gpu.close()


def test_a_device_is_reset_and_killed_while_threads_work():
    """Every call ends, with success or with the code of what happened."""
    gpu, codes, stop = Gpu(), set(), threading.Event()
    with open(host_build.compile_family("basic", sources=FOLDER), "rb") as file:
        image = file.read()

    def work():
        gpu.use()
        while not stop.is_set():
            stream, p, module, data = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64(), bytes(5000)
            codes.add(gpu.code("cuStreamCreate", ctypes.byref(stream), 1))
            codes.add(gpu.code("cuMemAlloc_v2", ctypes.byref(p), 5000))
            codes.add(gpu.code("cuMemcpyHtoDAsync_v2", p, ctypes.c_char_p(data), 5000, stream))
            codes.add(gpu.code("cuModuleLoadData", ctypes.byref(module), image))
            codes.add(gpu.code("cuStreamSynchronize", stream))
            for function, handle in [("cuModuleUnload", module), ("cuMemFree_v2", p), ("cuStreamDestroy_v2", stream)]:
                codes.add(gpu.code(function, handle))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(30):
        time.sleep(0.01)
        if number % 3 == 0:
            for process in children(os.getpid()):
                os.kill(process, signal.SIGKILL)
        gpu.call("cuDevicePrimaryCtxReset_v2", 0)
    stop.set()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert codes <= {0, 1, 46, 400, 709}
    gpu.synchronize()
    gpu.close()


@pytest.mark.parametrize("how", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(0)", "os._exit(0)", "os.abort()"])
@pytest.mark.parametrize("busy", [False, True])
def test_no_device_process_outlives_the_host(tmp_path, how, busy):
    hang = f"""
    m = get("cuModuleLoad", {hanging_kernel(tmp_path).encode()!r})
    f = get("cuModuleGetFunction", ctypes.c_uint64(m), b"hang")
    word, size = ctypes.c_uint64(p), ctypes.c_size_t(8)
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(word), 2, ctypes.addressof(size), 0)
    assert cuda.cuLaunchKernel(ctypes.c_uint64(f), 1, 1, 1, 1, 1, 1, 0, None, None, extra) == 0
    time.sleep(0.05)
    """
    program = textwrap.dedent(hang if busy else "") + f"print('ready', flush=True)\nsys.stdin.readline()\n{how}\n"
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + program, driver.EMULATOR],
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"ready\n"
    (device,) = children(process.pid)
    process.stdin.write(b"\n")
    process.stdin.close()
    process.wait(PATIENCE)
    process.stdout.close()
    wait_for(lambda: not is_running(device))
    assert not is_running(device)


def test_a_device_process_outlives_the_thread_that_started_it():
    made = []
    thread = threading.Thread(target=lambda: made.append(Gpu()))
    thread.start()
    thread.join()
    made[0].use()
    assert made[0].read(made[0].allocate(3), 3) == b"\xcb" * 3
    made[0].close()


def test_a_forked_child_disturbs_nothing():
    code = """
    child = os.fork()
    if not child:
        code = cuda.cuMemFree_v2(ctypes.c_uint64(p)) * 100 + cuda.cuInit(0) * 10 + cuda.cuCtxSynchronize()
        os._exit(0 if code == 333 else 1)
    assert os.waitpid(child, 0)[1] == 0
    lasting = os.fork()
    if not lasting:
        time.sleep(60)
        os._exit(0)
    assert cuda.cuMemsetD8_v2(ctypes.c_uint64(p), 5, ctypes.c_size_t(1000)) == 0
    assert cuda.cuCtxSynchronize() == 0
    print(lasting, flush=True)
    sys.stdin.readline()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code), driver.EMULATOR],
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    lasting = int(process.stdout.readline())
    (device,) = children(process.pid)
    process.kill()
    process.wait(PATIENCE)
    try:
        wait_for(lambda: not is_running(device))  # though a child of the host lives
        assert is_running(lasting)
    finally:
        os.kill(lasting, signal.SIGKILL)
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize(
    "variables, code",
    [
        ({"TFCORE_EMULATE_GPUS": "0"}, 100),
        ({"TFCORE_EMULATE_GPUS": "99"}, 1),
        ({"TFCORE_EMULATE_GPUS": "two"}, 1),
        ({"TFCORE_EMULATED_GPU_MEMORY": "-5"}, 1),
    ],
)
def test_wrong_settings_are_refused(variables, code):
    program = f"import ctypes; print(ctypes.CDLL({driver.EMULATOR!r}).cuInit(0))"
    environment = {**os.environ, **ENVIRONMENT, **variables}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == f"{code}\n"


def test_calls_before_cuinit_are_refused():
    program = f"import ctypes; print(ctypes.CDLL({driver.EMULATOR!r}).cuCtxSynchronize())"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **ENVIRONMENT}, capture_output=True)
    assert done.stdout == b"3\n"


POLL = """
#include <dlfcn.h>
#include <stdint.h>
#define LOAD(name) int (*name)() = (int (*)())dlsym(library, #name)
/* How often the stream of a command that failed was said to be done; negative if something else went wrong. */
int poll(const char* path, int rounds) {
  void* library = dlopen(path, RTLD_NOW);
  LOAD(cuDevicePrimaryCtxReset_v2); LOAD(cuStreamCreate); LOAD(cuMemAlloc_v2); LOAD(tfcEmulatedAllow);
  LOAD(cuMemsetD8Async); LOAD(cuStreamQuery);
  int wrong = 0;
  for (int i = 0; i < rounds; i++) {
    void* stream;
    uint64_t p;
    cuDevicePrimaryCtxReset_v2(0);
    if (cuStreamCreate(&stream, 1) || cuMemAlloc_v2(&p, (uint64_t)64)) return -1;
    if (tfcEmulatedAllow(p, (uint64_t)64, 0, stream) || cuMemsetD8Async(p, 0, (uint64_t)1, stream)) return -1;
    int code;
    while ((code = cuStreamQuery(stream)) == 600) {}
    if (code && code != 700) return -1;
    wrong += !code;
  }
  return wrong;
}
"""


def test_a_failure_is_never_taken_for_success(tmp_path):
    source, product = tmp_path / "poll.c", tmp_path / "poll.so"
    source.write_text(POLL)
    subprocess.run([host_build.find_compiler("c"), "-shared", "-fPIC", "-O2", "-o", product, source], check=True)
    gpu = Gpu()
    assert ctypes.CDLL(str(product)).poll(driver.EMULATOR.encode(), 300) == 0
    gpu.close()


def shared_bytes(process):
    """The size of the memory that a device process shares with the host: pages that were never touched don't count."""
    return os.stat(f"/proc/{process}/fd/3").st_blocks * 512


def test_copies_from_pageable_memory_leave_nothing_behind():
    gpu = Gpu()
    (process,) = children(os.getpid())
    for size, count in [(200_000, 2000), (1 << 20, 200), (9 << 20, 20)]:
        p, stream, data = gpu.allocate(size), gpu.stream(), ctypes.create_string_buffer(size)
        for _ in range(count):
            gpu.call("cuMemcpyHtoDAsync_v2", p, data, size, stream)
        gpu.call("cuMemFree_v2", p)
    assert shared_bytes(process) < 100 << 20
    gpu.close()


def test_images_leave_no_descriptors():
    gpu = Gpu()
    with open(host_build.compile_family("basic", sources=FOLDER), "rb") as file:
        image = file.read()
    (process,) = children(os.getpid())
    before = len(os.listdir(f"/proc/{process}/fd"))
    for _ in range(5):
        module = gpu.get("cuModuleLoadData", image)
        assert gpu.get("cuModuleGetFunction", module, b"scale_int8")
        gpu.call("cuModuleUnload", module)
    assert len(os.listdir(f"/proc/{process}/fd")) == before
    gpu.close()


def test_a_system_that_does_not_overcommit_is_enough():
    """The checks reserve more than may be private memory."""
    code = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
    assert cuda.cuDevicePrimaryCtxReset_v2(0) == 0
    p = get("cuMemAlloc_v2", ctypes.c_size_t(1000))
    m = get("cuModuleLoad", {host_build.compile_family("basic", checked=True, sources=FOLDER).encode()!r})
    f = get("cuModuleGetFunction", ctypes.c_uint64(m), b"scale_int8")
    for count in (1000, 1001):
        vector, size = (ctypes.c_uint64 * 3)(p, p, count), ctypes.c_size_t(24)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(vector), 2, ctypes.addressof(size), 0)
        assert cuda.cuLaunchKernel(ctypes.c_uint64(f), 1, 1, 1, 64, 1, 1, 0, None, None, extra) == 0
        print(cuda.cuCtxSynchronize())
    """
    assert run(code) == (0, "0\n700\n", "")


def test_a_fast_build_that_leaves_its_allocation_by_pages_faults():
    gpu = Gpu()
    function = gpu.function(host_build.compile_family("basic", sources=FOLDER), "scale_int8")
    p, q = gpu.allocate(100), gpu.allocate(100)
    gpu.driver.launch(function, (1,), (32,), Vector(p, q, 100_000))
    assert gpu.code("cuCtxSynchronize") == 700
    assert "scale_int8" in gpu.driver.report()
    gpu.close()
