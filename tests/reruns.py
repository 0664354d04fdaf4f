"""What a test said that failed at first and passed when it ran once more: it may be a bug that shows only seldom."""


class Failures:
    """A plugin that prints these failures at the end of a run."""

    def pytest_terminal_summary(self, terminalreporter):
        reports = terminalreporter.stats.get("rerun", [])
        if reports:
            terminalreporter.section("failed at first")
        for report in reports:
            terminalreporter.write_sep("_", report.nodeid)
            report.toterminal(terminalreporter._tw)
