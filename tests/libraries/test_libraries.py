"""The program that runs libraries, without the network."""

import os

from tests.libraries import environment, page
from tests.libraries.libraries import LIBRARIES, Library

REPORT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"><skipped/></testcase>
<testcase name="c"><failure message="boom">text</failure></testcase>
<testcase name="d"><error message="no Theano">text</error></testcase>
<testcase name="e"><failure message="no Theano">text</failure></testcase>
</testsuite></testsuites>"""


def test_reports_are_read(tmp_path):
    (tmp_path / "report.xml").write_text(REPORT)
    outcome = environment.read_report(tmp_path / "report.xml", {"Theano": "needs Theano"})
    assert outcome == environment.Outcome(1, 1, {"": ["c"], "needs Theano": ["d", "e"]})


def test_outcomes_are_kept(tmp_path):
    library, outcome = Library("net", "1.0"), environment.Outcome(3, 1, {"": ["c"]})
    assert environment.kept(library, tmp_path) is None
    environment.keep(library, outcome, tmp_path)
    assert environment.kept(library, tmp_path) == outcome


def test_the_page():
    library = Library("net", "1.0", program="train_t3f", parts=("a", "b"))
    text = page.page([(library, environment.Outcome(3, 1, {"": ["c"], "NumPy 2": list("defghi")}))])
    assert (
        "| net | 1.0 | its tests of `a` and `b`, [a program](../tests/libraries/programs/train_t3f.py) | 3 | 1 | 7 |"
        in text
    )
    assert "| net 1.0 | `c` | not known yet |" in text and "| `d`, `e`, `f`, `g` and 2 more | NumPy 2 |" in text


def test_each_library_has_its_program_and_a_row_of_the_page():
    with open(os.path.join(environment.ROOT, "docs", "libraries.md")) as file:
        text = file.read()
    programs = {name[:-3] for name in os.listdir(os.path.join(environment.ROOT, "tests", "libraries", "programs"))}
    programs -= {"__init__", "__pycach"}
    assert programs == {library.program for library in LIBRARIES if library.program}
    assert [library for library in LIBRARIES if f"| {library.name} | {library.version} |" not in text] == []
    assert all(library.package or library.repository and library.tag for library in LIBRARIES)
