"""Whether a program looks for GPUs at all."""

import pytest

from tfcore.gpu import driver


@pytest.mark.parametrize("value, wanted", [(None, False), ("", False), ("0", False), ("1", True), ("2", True)])
def test_emulated_gpus_are_there_if_they_are_wanted(monkeypatch, value, wanted):
    monkeypatch.setattr(driver.os.path, "exists", lambda path: False)
    monkeypatch.delenv("TFCORE_EMULATE_GPUS", raising=False)
    if value is not None:
        monkeypatch.setenv("TFCORE_EMULATE_GPUS", value)
    assert driver.emulation_is_wanted() == driver.may_be_there() == wanted


def test_a_card_is_looked_for_where_its_driver_is(monkeypatch):
    monkeypatch.setenv("TFCORE_EMULATE_GPUS", "0")
    monkeypatch.setattr(driver.os.path, "exists", lambda path: path == "/dev/nvidiactl")
    assert driver.may_be_there() and not driver.emulation_is_wanted()
