"""The arithmetic of the benchmark table; nothing here is timed."""

import numpy as np
import pytest

from bench.rows import Row, all_rows, compare


def row(unit="ms", reference=(3.0, 2.0, 1.0), **options):
    return Row("work", unit, None, reference=reference, **options)


def test_floors_and_ratios_of_times():
    floors = row().floors()
    assert floors == {"tensorflow": 3.0, "torch": 2.0}
    assert row().ratios({"tfcore": 0.5, "tensorflow": 2.0}) == {"tensorflow": 4.0}
    assert row().value(0.25) == 250


def test_floors_and_ratios_of_rates():
    rate = row("GFLOP/s", (100, None, 150), work=3.0)
    assert rate.floors() == {"tensorflow": 1.5}
    assert rate.ratios({"tfcore": 300, "tensorflow": 100}) == {"tensorflow": 3.0}
    assert rate.value(0.5) == 6.0


@pytest.mark.parametrize(
    ("values", "met"),
    [
        ({"tfcore": 1.0, "tensorflow": 3.0, "torch": 2.0}, True),
        ({"tfcore": 1.0, "tensorflow": 2.9, "torch": 2.0}, False),
        ({"tfcore": 1.0, "tensorflow": 3.0, "torch": 1.9}, False),
        ({"tfcore": 2.0, "tensorflow": 6.0, "torch": 4.0}, True),  # the ratios decide
        ({"tfcore": 1.0}, True),
        ({"tfcore": 1.1}, False),
    ],
)
def test_when_a_row_is_met(values, met):
    assert row().is_met(values) is met


def test_results_are_compared():
    errors = compare(row(), {"tfcore": [1.0, 2.0], "torch": [1.0, 2.001]})
    assert errors["tfcore"] == 0
    assert errors["torch"] == pytest.approx(0.0005)
    with pytest.raises(ValueError, match="result of torch is wrong"):
        compare(row(), {"tfcore": [1.0, 2.0], "torch": [1.0, 2.1]})
    with pytest.raises(ValueError, match="result of tfcore is wrong"):
        compare(row(expected=lambda: [5.0]), {"tfcore": [4.0]})
    with pytest.raises(ValueError, match="is wrong"):
        compare(row(), {"tfcore": [1.0], "torch": [np.nan]})
    with pytest.raises(ValueError, match="shape"):
        compare(row(), {"tfcore": [1.0], "torch": [1.0, 1.0]})


def test_rows_have_distinct_names_and_positive_floors():
    rows = all_rows()
    assert len({r.name for r in rows}) == len(rows) == 11
    for r in rows:
        assert r.floors()
        assert all(floor > 0 for floor in r.floors().values())
        assert r.less_is_better or r.work > 0
