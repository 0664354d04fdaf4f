"""python -m tfcore.run: roles, output, exit codes, and that nothing is left behind."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from tests.distributed import mpi
from tests.distributed.hosts import TCP_ONLY, Hosts
from tfcore.run import command, launcher, supervisor

START = """
import os, signal, sys, time
import tfcore as tf
from tfcore.distributed.task import task
cluster = tf.train.ClusterSpec.from_mpi()
server = tf.train.Server(cluster)
print("started", sys.argv[1:], flush=True)
me = (cluster.job_name, cluster.task_index)
"""


def launch(*arguments, env=None):
    return mpi.Job(["-m", "tfcore.run", *arguments], env=env)


def run(*arguments, env=None):
    with launch(*arguments, env=env) as job:
        return job.wait()


def test_what_a_killed_mpirun_has_left_is_not_in_the_way(tmp_path, script):
    """Its folder is named after its process number; here those of the next thousand processes are taken."""
    for pid in range(os.getpid(), os.getpid() + 1000):
        (tmp_path / f"ompi.{pid}").mkdir()
        (tmp_path / f"ompi.{pid}" / f"pmix.{os.uname().nodename}.tool").write_text(
            "prterun-x-1@0.0;tcp4://127.0.0.1:9\n5.0\n1\n"
        )
    job = run("--workers", "1", script("print('runs')"), env={"TMPDIR": str(tmp_path)})
    assert job.code == 0 and job.lines() == ["worker 0| runs"], job.text


def test_roles_and_output(script):
    path = script(
        START
        + """
if me[0] == "ps":
    task.current().join()
print("bar 1\\rbar 2", file=sys.stderr)
sys.stdout.write("no newline at the end")
"""
    )
    job = run("--ps", "1", "--workers", "2", path, "--steps", "3")
    assert job.code == 0, job.text
    roles = ["ps 0", "worker 0", "worker 1"]
    assert job.lines() == sorted(
        f"{role}| {text}" for role in roles for text in ("started ['--steps', '3']", "bar 2", "no newline at the end")
    )


def test_modules(tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text("import sys; print(sys.argv[1:], __name__)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    job = run("-m", "program", "a", "-m")
    assert job.code == 0 and job.lines() == ["worker 0| ['a', '-m'] __main__"], job.text


def test_threads(script):
    path = script(START + "from tfcore.core.runtime import num_threads\nprint('threads', num_threads())\n")
    job = run("--workers", "2", "--threads", "3", path)
    assert job.code == 0 and job.lines("worker 0| threads") == ["worker 0| threads 3"], job.text


def test_exit_codes_and_tracebacks(script):
    """Others outlive the processes that fail, one after the other."""
    path = script(
        START
        + """
if me[0] == "worker" and me[1] < 2:
    time.sleep(me[1] / 2)
    raise SystemExit(7) if me[1] == 0 else KeyError("lost")
task.current().join()
time.sleep(1)
print("lived on")
"""
    )
    job = run("--ps", "1", "--workers", "3", path)
    assert job.code == 7, job.text
    assert job.lines("tfcore.run") == [
        "tfcore.run: worker 0 ended with exit code 7",
        "tfcore.run: worker 1 ended with exit code 1",
    ]
    assert "worker 1| KeyError: 'lost'" in job.text
    assert len([line for line in job.lines() if line.endswith("lived on")]) == 2, job.text


def copied(*pieces):
    """(What the supervisor writes of pieces that it reads one by one, the most bytes that it keeps meanwhile.)"""
    source, sink = os.pipe()
    with tempfile.TemporaryFile() as target:
        lines, kept = supervisor.Lines(source, target.fileno(), b"ps 0| "), 0
        for piece in pieces:
            os.write(sink, piece)
            lines.copy()
            kept = max(kept, len(lines.rest))
        os.close(sink)
        lines.copy()
        os.close(source)
        target.seek(0)
        return target.read(), kept


def test_of_a_progress_bar_little_is_kept():
    steps = [b"\r%3d %%" % i for i in range(100)]
    written, kept = copied(*steps, b"\r100 %\r", b"\nnext\r", b"\n")
    assert written == b"ps 0| 100 %\nps 0| next\n" and kept <= len(b"\r100 %\r")


def test_a_line_without_an_end_is_written_in_pieces():
    message = supervisor.MARK + b"started 0"
    half = supervisor.LONGEST // 2
    a, b, c, d = (half * letter for letter in (b"a", b"b", b"c", b"d"))
    written, kept = copied(a, b, b".", c, d + message[:9], message[9:] + b"\ne")
    assert written == b"ps 0| " + a + b + b".\nps 0| " + c + d + b"\n" + message + b"\nps 0| e\n"
    assert kept <= supervisor.LONGEST


def test_lines_of_tracebacks_stay_together():
    output = io.BytesIO()
    tracebacks = launcher.Tracebacks(output.write)
    first = [b"worker 0| Traceback (most recent call last):\n", b"worker 0|   line 1\n", b"worker 0| KeyError: 1\n"]
    second = [line.replace(b"worker 0", b"ps 0") for line in first]
    for i, pair in enumerate(zip(first, second)):
        for line in (*pair, b"worker 1| continues\n", b"mpirun says so\n"):
            tracebacks.add(line, i / 10)
    assert output.getvalue() == 3 * b"worker 1| continues\nmpirun says so\n"
    tracebacks.add(b"ps 0| second line of the error\n", 0.3)
    tracebacks.flush(before=0.25)  # the other one may not be complete yet
    assert output.getvalue().endswith(b"says so\n" + b"".join(first))
    tracebacks.flush()
    assert output.getvalue().endswith(b"".join([*first, *second]) + b"ps 0| second line of the error\n")
    assert not tracebacks.held


def test_lines_are_not_held_for_ever():
    """A process may continue to write after an error that it has handled."""
    output = io.BytesIO()
    tracebacks = launcher.Tracebacks(output.write)
    tracebacks.add(b"ps 0| Traceback (most recent call last):\n", 0.0)
    for i in range(1, 11):
        tracebacks.add(b"ps 0| continues\n", i * launcher.LONGEST_HOLD_S / 5)
    assert output.getvalue() == b"ps 0| Traceback (most recent call last):\n" + 10 * b"ps 0| continues\n"


def test_output_that_nobody_reads_ends_the_job(script):
    path = script("import sys\nwhile True: print(100 * '.', file=sys.stderr)\n")
    pipeline = 'set -o pipefail; "$@" 2>&1 | head -1'
    job = mpi.run(["-m", "tfcore.run", "--workers", "2", path], call=["bash", "-c", pipeline, "-"])
    assert job.code not in (0, 128 + signal.SIGKILL) and len(job.lines()) == 1, job.text


def test_programs_may_print_what_looks_like_a_message(script):
    texts = ["", "ended", "ended 0 0 0", "ended zero", "ended 0 \xff", "ended 7 1", "unknown 0"]
    lines = [supervisor.MARK + text.encode("latin-1") for text in texts]
    path = script(f"import os\nfor line in {lines}: os.write(2, line + b'\\n')\nprint('lives on')")
    job = run("--workers", "1", path)
    assert job.code == 0 and job.lines("worker 0| ") == ["worker 0| lives on"], job.text
    shown = [line for line in job.text.split("\n") if line.startswith(supervisor.MARK.decode())]
    assert shown == [line.decode(errors="replace") for line in lines]


def test_a_process_that_failed_may_take_its_time_to_end(script):
    path = script(
        "import atexit\nat_end = []\natexit.register(lambda: [do() for do in at_end])\n"
        + START
        + """
if me == ("worker", 0):
    at_end.append(lambda: (time.sleep(1.5), print("saved", flush=True)))
    raise KeyError("lost")
server.join()
"""
    )
    job = run("--ps", "1", "--workers", "2", path)
    assert job.code == 1 and job.lines("tfcore.run") == ["tfcore.run: worker 0 ended with exit code 1"], job.text
    assert "saved" in job.text


def test_a_killed_process(script):
    path = script(START + "if me == ('worker', 0): os.kill(os.getpid(), 9)\ntask.current().join()\nprint('joined')\n")
    job = run("--ps", "1", "--workers", "2", path)
    assert job.code == 128 + 9
    hint = launcher.RESTART_HINT.rstrip()
    assert job.lines("tfcore.run") == sorted([hint, "tfcore.run: worker 0 was ended by signal 9 (SIGKILL)"])
    assert len([line for line in job.lines() if line.endswith("joined")]) == 2, job.text


def test_the_tasks_of_a_lost_host_are_named(capfd):
    mark = supervisor.MARK.decode()
    told = [mark + "runs 0 a", mark + "runs 1 c", mark + "ended 0 3", "  Remote daemon: [prterun-a-1@0,1] on node c"]
    job = launcher.Job(["sh", "-c", 'printf "%s\\n" "$@" >&2; exit 1', "sh", *told], dict(os.environ), ranks=2, ps=0)
    assert job.wait() == 3
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "tfcore.run: worker 0 ended with exit code 3"
    assert lines[-2:] == ["tfcore.run: worker 1 was lost with host c", launcher.RESTART_HINT.rstrip()]


def test_programs_that_end_well_count_whatever_becomes_of_mpirun():
    ended = supervisor.MARK.decode() + "ended 0 0"
    job = launcher.Job(["sh", "-c", 'echo "$1" >&2; exit 13', "sh", ended], dict(os.environ), ranks=1, ps=0)
    assert job.wait() == 0


def test_a_frozen_process_is_ended_with_the_job(script):
    path = script(START + "if me == ('worker', 0): os.kill(os.getpid(), 19)\nserver.join()\n")
    for env in ({}, {"TFCORE_TRANSPORT": "mpi"}):
        job = run("--ps", "1", "--workers", "2", path, env=env)
        # The two others may notice it at the same time, before either tells the other.
        assert job.code != 0 and job.text.count("it has given no sign of life") in (1, 2), job.text


@pytest.mark.parametrize("end", ["server.join()", "while fabric.alive(frozen): time.sleep(0.01)"])
def test_a_task_that_ends_before_its_handlers_have_run_ends_a_frozen_process(script, end):
    """Waits and steps that need the frozen process are over at once; what else has to know of it is told later."""
    path = script(f"""
import os, time
import tfcore as tf
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import worker
forget = worker.Worker._forget_master
worker.Worker._forget_master = lambda self, rank: (time.sleep(1), forget(self, rank))
cluster = tf.train.ClusterSpec.from_mpi()
server = tf.train.Server(cluster)
frozen = cluster.num_tasks("ps")
if (cluster.job_name, cluster.task_index) == ("worker", 0): os.kill(os.getpid(), 19)
{end}
""")
    job = run("--ps", "1", "--workers", "2", path)
    assert job.code != 0 and job.text.count("it has given no sign of life") in (1, 2), job.text


def test_a_process_that_ends_before_the_cluster_is_complete(script):
    """Otherwise the others would wait for it in MPI_Init."""
    path = script(
        "import os, sys\nif '1' in (os.environ.get('PMIX_RANK'), os.environ.get('PMI_RANK')): sys.exit(4)\n" + START
    )
    job = run("--workers", "3", path)
    assert job.code != 0
    assert "tfcore.run: worker 1 ended with exit code 4" in job.text
    assert "tfcore.run: worker 1 has ended before the cluster was complete" in job.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_everything(script, number):
    with launch("--ps", "1", "--workers", "2", script(START + "time.sleep(80)")) as job:
        job.see("started", 3)
        os.kill(job.pid, number)
        job.wait()
    assert job.code == 128 + number


def test_nothing_is_left_when_the_launcher_is_killed(script):
    with launch("--ps", "1", "--workers", "2", script(START + "time.sleep(80)")) as job:
        job.see("started", 3)
        os.kill(job.pid, signal.SIGKILL)
        job.wait()
    assert job.code == -signal.SIGKILL


def test_nothing_is_left_when_mpirun_is_killed(script):
    with launch("--workers", "2", script(START + "time.sleep(80)")) as job:
        job.see("started", 2)
        found = [
            pid for pid in mpi.processes(job.mark) if "/mpirun" in mpi.describe(pid) or "prterun" in mpi.describe(pid)
        ]
        assert found
        for pid in found:
            if "tfcore.run" not in mpi.describe(pid):
                os.kill(pid, signal.SIGKILL)
        job.wait()
    assert job.code != 0


def test_hosts(script):
    """Across hosts: the launcher's environment reaches them, and their ends are told."""
    with Hosts(2) as network:
        call = network.inside(0, [])
        program = ["-m", "tfcore.run", "--ps", "1", "--workers", "2", "--hosts", ",".join(network.names)]
        path = script(START + "import socket\nprint(socket.gethostname())\nsys.exit(3 if me[1] == 0 else 0)\n")
        job = mpi.run([*program, path], call=call, env={**TCP_ONLY, **network.launch_agent()})
    assert job.code == 3, job.text
    for role, host in [("ps 0", 0), ("worker 0", 1), ("worker 1", 0)]:
        assert f"{role}| {network.names[host]}" in job.lines(role), job.text


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["--workers", "0", "x.py"], "there must be at least one worker"),
        (["--workers", "3..2", "x.py"], "there must be at least one worker, as in '8', or in '2..8'"),
        (["--join", "file", "--ps", "1", "x.py"], "with --join one process starts on this host"),
        (["--threads", "0", "x.py"], "--threads must be at least 1"),
        (["--hosts", "a", "--hostfile", "b", "x.py"], "give --hosts or --hostfile, not both"),
        (["--ps", "1"], "the following arguments are required: program"),
    ],
)
def test_wrong_arguments(arguments, text):
    done = subprocess.run([sys.executable, "-m", "tfcore.run", *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and text in done.stderr


@pytest.mark.parametrize("arguments", [["--hostfile", "nope", __file__], ["--ps", "1", "nope"]])
def test_files_that_do_not_exist(arguments):
    mpi.require()
    done = subprocess.run([sys.executable, "-m", "tfcore.run", *arguments], capture_output=True, text=True, timeout=60)
    what = "hostfile" if "--hostfile" in arguments else "program"
    assert (done.returncode, done.stderr) == (1, f"tfcore.run: there is no {what} 'nope'\n")


def test_the_call_of_mpirun(monkeypatch):
    mpi.require()
    monkeypatch.setattr(command, "is_mpich", lambda mpirun: False)
    call = " ".join(command.mpirun(4, ["a", "b"], variables=["PYTHONPATH"]))
    assert "-n 4 --map-by node:OVERSUBSCRIBE --bind-to none --with-ft ulfm" in call and call.endswith(
        "--host a,b -x PYTHONPATH"
    )
    assert "--map-by slot:OVERSUBSCRIBE" in " ".join(command.mpirun(4, ["a:2", "b:2"]))
    assert " ".join(command.mpirun(4, hostfile="f")).endswith("--hostfile f")
    assert ("--allow-run-as-root" in call) == (os.geteuid() == 0)


def test_the_call_of_mpirun_with_mpich(monkeypatch):
    mpi.require()
    monkeypatch.setattr(command, "is_mpich", lambda mpirun: True)
    call = command.mpirun(4, ["a", "b:2"], variables=["PYTHONPATH"])
    assert call[1:] == ["-n", "4", "-disable-auto-cleanup", "-hosts", "a,b:2"]
    assert command.mpirun(4, hostfile="f")[-2:] == ["-f", "f"]


def test_a_slow_reader_in_non_blocking_mode_gets_everything():
    source, target = os.pipe()
    os.set_blocking(target, False)
    data, read = bytes(range(256)) * 4096, []  # more than a pipe holds
    thread = threading.Thread(target=lambda: read.extend(iter(lambda: os.read(source, 5000), b"")))
    thread.start()
    supervisor.write(target, data)
    os.close(target)
    thread.join()
    os.close(source)
    assert b"".join(read) == data
