"""Runs the test cases of modules and prints the outcome of each as a line of JSON: [name, outcome, text of the error].

Run by tests, as `python -m tfcore.as_tensorflow outcomes.py MODULE ...`.
"""

import importlib
import json
import sys
import unittest

from absl import flags


class Result(unittest.TestResult):
    def _print(self, test, outcome, error=None):
        print(json.dumps([test.id(), outcome, str(error[1]) if error else ""]), flush=True)

    def addSuccess(self, test):
        self._print(test, "passed")

    def addError(self, test, err):
        self._print(test, "error", err)

    def addFailure(self, test, err):
        self._print(test, "failed", err)

    def addSkip(self, test, reason):
        self._print(test, "skipped")


def main(modules):
    flags.FLAGS(sys.argv[:1])
    for name in modules:
        unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name)).run(Result())


main(sys.argv[1:])
