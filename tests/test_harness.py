"""The harness finds the tests that records name."""

from tests import harness


def test_named_tests_are_looked_up():
    assert harness.test_exists("tests/test_harness.py::test_named_tests_are_looked_up")
    assert not harness.test_exists("tests/test_harness.py::test_of_the_future")
    assert not harness.test_exists("tests/test_harness.py::accepts")
    assert not harness.test_exists("tests/test_harness.py")
    assert not harness.test_exists("tests/no_such_file.py::test_x")
