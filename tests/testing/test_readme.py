"""The example of tfcore/testing/README.md works as it is written there."""

import pathlib
import re

import pytest

import tfcore.testing
from tests.framework.test_load_op_library import COMPILER, run_in_shell, run_python

README = (pathlib.Path(tfcore.testing.__file__).parent / "README.md").read_text()


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.S).group(1)


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_the_example(tmp_path):
    (tmp_path / "softclip.c").write_text(block("c"))
    run_in_shell(re.search(r"^ {4}(gcc .*)$", README, re.M).group(1), tmp_path)
    check = block("python")
    assert "check_kernel(" in check and "check_gradient(" in check
    wrong_value = check.replace("x / (1 + alpha", "x / (1.001 + alpha")
    wrong_gradient = check.replace("return grad /", "return 1.1 * grad /")
    assert check != wrong_value and check != wrong_gradient
    for program, text in (wrong_value, "Softclip [float32] at level"), (wrong_gradient, "derivative of order 1"):
        program = "try:\n" + re.sub("^", "    ", program, flags=re.M)
        program += f"\nexcept AssertionError as error:\n    assert {text!r} in str(error), error\n"
        program += "else:\n    raise SystemExit(1)"
        run_python(program, tmp_path)
    run_python(check, tmp_path)
