import pytest

from tfcore.testing import report


@pytest.fixture(autouse=True)
def saved_examples(monkeypatch, tmp_path):
    """Kernels are broken on purpose here: nobody will run the programs that repeat it."""
    monkeypatch.setattr(report, "_folder", lambda: str(tmp_path))
