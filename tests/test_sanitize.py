"""The command that runs tests with sanitizers: the copy it builds, and that no report is missed."""

import os
import pathlib
import subprocess

import pytest

from tests import sanitize

pytestmark = pytest.mark.skipif(
    not os.path.exists(os.path.join(sanitize.ROOT, "kernels_c")), reason="needs the source tree"
)


def test_the_copy_has_what_is_compiled(tmp_path):
    sanitize.mirror(str(tmp_path))
    for pattern in ("kernels_c/**/*.c", "kernels_cuda/**/*.cu", "tfcore/**/*.c", "tfcore/**/*.pyx"):
        mine = {path.relative_to(sanitize.ROOT) for path in pathlib.Path(sanitize.ROOT).glob(pattern)}
        assert mine and mine == {path.relative_to(tmp_path) for path in tmp_path.glob(pattern)}


def test_the_copy_has_the_sources_and_only_changes_are_copied(tmp_path):
    sanitize.mirror(str(tmp_path))
    source, product = (
        tmp_path / "kernels_c" / "common" / "library.c",
        tmp_path / "tfcore" / "lib" / "kernels_baseline.so",
    )
    assert source.exists() and (tmp_path / "setup.py").exists() and (tmp_path / "tests" / "sanitize.py").exists()
    assert not list(tmp_path.rglob("*.so"))
    product.parent.mkdir(exist_ok=True)
    product.touch()
    renamed = tmp_path / "tests" / "core" / "test_before_it_was_renamed.py"
    renamed.touch()
    kept = os.stat(source).st_mtime_ns, os.stat(source).st_ino, os.stat(source).st_ctime_ns
    sanitize.mirror(str(tmp_path))
    assert kept == (os.stat(source).st_mtime_ns, os.stat(source).st_ino, os.stat(source).st_ctime_ns)
    assert product.exists() and not renamed.exists()


REPORT = "kernels_c/common/simd.h:12:3: runtime error: load of misaligned address {} for type 'double'"
LEAK = "Direct leak of 8 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in malloc\n    #1 0x2 in {}"
LEAKS = (
    "\n====\n==7==ERROR: LeakSanitizer: detected memory leaks\n\n{}\n\nSUMMARY: AddressSanitizer: 16 byte(s) leaked\n"
)
PYTHONS, OURS = (
    LEAK.format("PyFloat_FromDouble Objects/floatobject.c:149"),
    LEAK.format("create kernels_c/random/random.c:9"),
)

REMARK = "report.129: LeakSanitizer crashed; the leaks of this process are not known"
CLUSTERS = LEAK.format("on_call tfcore/distributed/fabric/calls.c:9")


@pytest.mark.parametrize(
    "name, text, printed",
    [
        ("report.123", "WARNING: ThreadSanitizer: data race\n", "WARNING: ThreadSanitizer: data race"),
        ("report.124", "==124==WARNING: AddressSanitizer failed to allocate 0x40000000000 bytes\n", ""),
        ("report.125", LEAKS.format(PYTHONS), ""),
        ("report.127", LEAKS.format(f"{PYTHONS}\n    #2 0x3 in run build/generated/tfcore/core/plan.c:7"), ""),
        ("report.126", LEAKS.format(f"{PYTHONS}\n\n{OURS}"), OURS),
        ("report.129", "Tracer caught signal 11\n==9==LeakSanitizer has encountered a fatal error.\n", REMARK),
        ("report.128", LEAKS.format(f"{PYTHONS}\n\n{CLUSTERS}"), CLUSTERS),
        ("stderr.0", f"noise\n{REPORT.format('0x1')}\n{REPORT.format('0x2')}\n", REPORT.format("0x1")),
        ("stderr.1", "a warning of the interpreter\n", ""),
    ],
)
def test_reports_are_found(tmp_path, capsys, name, text, printed):
    (tmp_path / name).write_text(text)
    assert sanitize.show(str(tmp_path / name)) is (bool(printed) and printed != REMARK)
    assert capsys.readouterr().out.strip() == printed


@pytest.mark.parametrize("which", sorted(sanitize.KINDS))
def test_every_piece_exists(which):
    for piece in sanitize.KINDS[which]["pieces"] + sanitize.KINDS[which]["quick"]:
        assert all(os.path.exists(os.path.join(sanitize.ROOT, path)) for path in piece if path.startswith("tests"))


PLANTED = """
#include <pthread.h>
static long shared;
static void *add(void *count) { for (long i = 0; i < (long)count; i++) shared += i; return 0; }
long race(long count) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, (void *)count);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return shared;
}
int shifted(int places) { return 1 << places; }
"""
TEST = """
import subprocess, sys
def test_a_child_whose_output_is_caught():
    code = "from ctypes import CDLL; CDLL('./planted.so').{}"
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
"""


@pytest.mark.alone  # LeakSanitizer stops its process like a debugger, which can fail beside other tests
@pytest.mark.parametrize(
    "which, call, found",
    [
        ("thread", "race(1000)", True),
        ("address,undefined", "shifted(40)", True),
        ("address,undefined", "shifted(4)", False),
    ],
)
def test_planted_errors_are_found(tmp_path, which, call, found):
    try:
        sanitize.environment(which, "", "")
    except SystemExit as error:
        pytest.skip(str(error))
    (tmp_path / "planted.c").write_text(PLANTED)
    (tmp_path / "test_planted.py").write_text(TEST.format(call))
    command = ["gcc", "-shared", "-fPIC", "-pthread", f"-fsanitize={which}", "planted.c", "-o", "planted.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert sanitize.test(which, str(tmp_path), "", [["test_planted.py"]], "") is found


LEFT_OUT = [
    *sanitize.UNSANITIZED,
    *sanitize.FORKS,
    *sanitize.TIMED,
    *sanitize.HOSTS,
    *sanitize.ADDRESSES,
    *sanitize.NO_THREAD,
    *sanitize.RESIDENT,
]


@pytest.mark.parametrize("test", LEFT_OUT)
def test_every_test_that_is_left_out_exists(test):
    path, _, name = test.partition("[")[0].partition("::")
    with open(os.path.join(sanitize.ROOT, path)) as f:
        assert not name or f"def {name}(" in f.read()
