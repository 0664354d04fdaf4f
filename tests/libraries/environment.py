"""Makes an environment for a library, and runs its tests or a program in it."""

import collections
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_NEEDED = ("absl-py", "google-re2", "ml_dtypes", "numpy>=2,<3", "pillow", "protobuf", "tqdm", "pyyaml", "pytest>=9")
_TIMEOUT_S = 3600

# What came of a library: numbers of tests, and {why: names of tests that failed}; "" is for no known reason.
Outcome = collections.namedtuple("Outcome", "passed skipped failed")


def make(library, folder):
    """Makes an environment with a library and this tree; returns its Python."""
    place = _path(library, folder)
    python = os.path.join(place, "bin", "python")
    subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
    install = [python, "-m", "pip", "install", "-q"]
    subprocess.run([*install, *_NEEDED, *library.requirements], check=True)
    # Without its requirements, of which TensorFlow is one.
    subprocess.run([*install, "--no-deps", f"{library.name}=={library.version}"], check=True)
    text = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, capture_output=True
    ).stdout
    with open(os.path.join(text.decode().strip(), "tfcore.pth"), "w") as file:
        file.write(ROOT)
    return python


def run(library, python, folder, repositories):
    """The outcome of a library's tests, or of its program as one test."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["KERAS_HOME"] = os.path.join(folder, "settings")
    command = [python, "-m", "tfcore.as_tensorflow", "--old-code"]
    if library.program:
        program = os.path.join(ROOT, "tests", "libraries", "programs", f"{library.program}.py")
        done = subprocess.run([*command, program], cwd=folder, env=environment, timeout=_TIMEOUT_S)
        return Outcome(1, 0, {}) if done.returncode == 0 else Outcome(0, 0, {"": [library.program]})
    report = _path(library, folder, ".xml")
    if os.path.exists(report):
        os.remove(report)
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "--tb=short", *library.without]
    pytest += ["--continue-on-collection-errors"]
    tests = _tests(library, folder, repositories)
    subprocess.run([*command, *pytest, "tests"], cwd=tests, env=environment, timeout=_TIMEOUT_S)
    return read_report(report, library.reasons)


def _tests(library, folder, repositories):
    """A folder with the tests of a library's repository, and not the library: that is the installed one."""
    source, place = _path(library, folder, "-source"), _path(library, folder, "-tests")
    if not os.path.isdir(source):
        clone = ["git", "clone", "-q", "--depth=1", "-b", library.tag, f"{repositories}/{library.repository}", source]
        subprocess.run(clone, check=True)
    os.makedirs(place, exist_ok=True)
    if not os.path.islink(link := os.path.join(place, "tests")):
        os.symlink(os.path.join(source, "tests"), link)
    return place


def read_report(path, reasons):
    """The outcome that a report of pytest describes."""
    counts, failed = collections.Counter(), {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        problem = next((part for part in case if part.tag in ("failure", "error")), None)
        if problem is not None:
            text = f"{case.get('name')} {problem.get('message')} {problem.text}"
            reason = next((why for sign, why in reasons.items() if re.search(sign, text)), "")
            failed.setdefault(reason, []).append(case.get("name"))
        else:
            counts["skipped" if case.find("skipped") is not None else "passed"] += 1
    return Outcome(counts["passed"], counts["skipped"], failed)


def keep(library, outcome, folder):
    """Writes an outcome into a file of the folder."""
    with open(_path(library, folder, ".json"), "w") as file:
        json.dump(outcome, file)


def kept(library, folder):
    """The outcome that was written; None if the library did not run."""
    if not os.path.exists(_path(library, folder, ".json")):
        return None
    with open(_path(library, folder, ".json")) as file:
        return Outcome(*json.load(file))


def _path(library, folder, suffix=""):
    return os.path.join(folder, f"{library.name}-{library.version}{suffix}")
