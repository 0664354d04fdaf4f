"""Makes an environment for a library, and runs its tests or a program in it."""

import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# NumPy 2.3 is the last that turns an array of one element into a number.
_NEEDED = ("absl-py", "google-re2", "ml_dtypes", "numpy>=2,<2.4", "pillow", "protobuf", "tqdm", "pyyaml", "pytest>=9")
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
    packages = [f"{library.name}=={library.version}", *library.alone]
    subprocess.run([*install, "--no-deps", *packages], check=True)
    with open(os.path.join(_packages(python), "tfcore.pth"), "w") as file:
        file.write(ROOT)
    return python


def _packages(python):
    """The folder of the environment's packages."""
    program = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.run([python, "-c", program], check=True, capture_output=True).stdout.decode().strip()


def run(library, python, folder, repositories):
    """The outcome of a library's tests, of which its program is one."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["KERAS_HOME"] = os.path.join(folder, "settings")
    environment |= library.environment
    command = [python, "-m", "tfcore.as_tensorflow", "--old-code"]
    outcome = _run_tests(library, python, folder, repositories, command, environment)
    if not library.program:
        return outcome
    program = os.path.join(ROOT, "tests", "libraries", "programs", f"{library.program}.py")
    done = subprocess.run([*command, program], cwd=folder, env=environment, timeout=_TIMEOUT_S)
    if done.returncode == 0:
        return outcome._replace(passed=outcome.passed + 1)
    return outcome._replace(failed={**outcome.failed, "": [*outcome.failed.get("", ()), library.program]})


def _run_tests(library, python, folder, repositories, command, environment):
    report = _path(library, folder, ".xml")
    if os.path.exists(report):
        os.remove(report)
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "--tb=short", *library.without]
    pytest += ["--continue-on-collection-errors", "--collect-in-virtualenv"]
    place, tests = _tests(library, folder, repositories, python)
    subprocess.run([*command, *pytest, *tests], cwd=place, env=environment, timeout=_TIMEOUT_S)
    return read_report(report, library.reasons)


def _tests(library, folder, repositories, python):
    """(a folder in which tests run, the tests). The library is the installed one, not that of its repository."""
    source, place = _path(library, folder, "-source"), _path(library, folder, "-tests")
    if library.repository and not os.path.isdir(source):
        clone = ["git", "clone", "-q", "--depth=1", "-b", library.tag, f"{repositories}/{library.repository}", source]
        subprocess.run(clone, check=True)
    os.makedirs(place, exist_ok=True)
    if library.package:
        installed = os.path.join(_packages(python), library.package)
        if library.repository:
            _add_files(os.path.join(source, library.package), installed)
        _remove_lines(installed, library.removed)
        return place, [os.path.join(installed, part) for part in library.parts or ("",)]
    if not os.path.islink(link := os.path.join(place, "tests")):
        os.symlink(os.path.join(source, "tests"), link)
    return place, ["tests"]


def _add_files(source, installed):
    """Copies what an installed package lacks, which are its tests and what they read."""
    for folder, _, names in os.walk(source):
        target = os.path.join(installed, os.path.relpath(folder, source))
        for name in names:
            if not os.path.exists(os.path.join(target, name)):
                os.makedirs(target, exist_ok=True)
                shutil.copy(os.path.join(folder, name), target)


def _remove_lines(installed, pattern):
    """Removes the lines of tests that a regular expression matches."""
    for path in glob.glob(os.path.join(installed, "**", "*_test.py"), recursive=True) if pattern else ():
        with open(path) as file:
            lines = file.readlines()
        with open(path, "w") as file:
            file.writelines(line for line in lines if not re.match(pattern, line))


def read_report(path, reasons):
    """The outcome that a report of pytest describes."""
    counts, failed = collections.Counter(), {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        problem = next((part for part in case if part.tag in ("failure", "error")), None)
        if problem is not None:
            name = case.get("name").rpartition("site-packages.")[2]
            text = f"{case.get('classname')} {name} {problem.get('message')} {problem.text}"
            reason = next((why for sign, why in reasons.items() if re.search(sign, text)), "")
            failed.setdefault(reason, []).append(name)
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
