"""Hypothesis is needed by what draws examples, and by nothing else."""

import subprocess
import sys

import pytest

import tfcore.testing


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_importing_the_package_does_not_import_hypothesis():
    done = run_python(
        "import sys, tfcore, tfcore.testing; assert 'hypothesis' not in sys.modules; print(tfcore.test.main)"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["check_kernel", "check_gradient", "strategies", "evaluate"])
def test_without_hypothesis_the_error_says_what_to_install(name):
    hidden = "import sys; sys.modules['hypothesis'] = None; import tfcore.testing; "
    done = run_python(hidden + f"tfcore.testing.{name}")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == (
        "ImportError: tfcore.testing draws its examples with hypothesis, which is not installed: pip install "
        "'tfcore[test]'"
    )
    assert run_python(hidden + "tfcore.test.compute_gradient_error").returncode == 0


def test_public_names_exist():
    assert set(tfcore.testing.__all__) <= set(dir(tfcore.testing))
    for name in tfcore.testing.__all__:
        assert getattr(tfcore.testing, name) is not None
    with pytest.raises(AttributeError, match="module 'tfcore.testing' has no attribute 'check_everything'"):
        _ = tfcore.testing.check_everything
