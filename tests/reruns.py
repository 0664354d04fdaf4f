"""Prints, at the end of a run, the first failure of each test that ran twice: if it passed then, a bug may be rare."""


class FirstFailures:
    """A plugin that prints them."""

    def pytest_terminal_summary(self, terminalreporter):
        reports = terminalreporter.stats.get("rerun", [])
        if reports:
            terminalreporter.section("failed at first")
        for report in reports:
            terminalreporter.write_sep("_", report.nodeid)
            report.toterminal(terminalreporter._tw)
