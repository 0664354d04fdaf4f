"""The table of the parts that CI does not run."""

import importlib.util
import os
import re

from tests import everything, pages


def test_the_page_has_the_results_of_all_parts():
    text = pages.read("docs/everything.md")
    known = everything.results(text)
    assert list(known) == list(everything.PARTS)
    assert text.endswith("\n\n" + everything.table(known))


def test_commands_name_what_exists():
    for command in everything.PARTS.values():
        for path in re.findall(r"\btests/[\w/.]+", command):
            assert os.path.exists(os.path.join(pages.ROOT, path)), path
        for module in pages.commands(f"python {command[command.index('-m ') :]}"):
            assert importlib.util.find_spec(module), module


def test_a_result_is_kept(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n" + everything.table({}))
    monkeypatch.setattr(everything, "PAGE", str(page))
    row = ("passed: 3 passed in 2 s", "0.1 min", "2026-11-29", "12345678+")
    everything.write("mpich", row)
    everything.write("slurm", ("FAILED: 1 failed", *row[1:]))
    known = everything.results(page.read_text())
    assert known["mpich"] == row and known["slurm"][0] == "FAILED: 1 failed"
    assert known["kills"] == ("not run yet", "", "", "")
