"""Wrong calls of public functions end as in TensorFlow: with the same class of error, at the same moment.

`tests/wrong_calls` has the calls, TensorFlow's outcomes and the list of known differences.
"""

import pytest

import tfcore as tf
from tests.wrong_calls import compare
from tests.wrong_calls.calls import CALLS

KNOWN, _ = compare.read_list()
REQUIRED = 0.97


@pytest.mark.parametrize("name", sorted(name for name in CALLS if compare.exists(tf, name)))
def test_outcomes(name):
    found, known = compare.compare(tf, name), KNOWN.get(name, {})
    outdated = sorted(set(known) - set(found))
    assert not outdated, "these cases now end as in TensorFlow: run python -m tests.wrong_calls --update"
    assert found == known


def test_enough_cases_agree():
    existing = {name: KNOWN.get(name, {}) for name in CALLS if compare.exists(tf, name)}
    assert compare.rates(existing)[1] >= REQUIRED


def test_every_call_is_recorded():
    assert sorted(compare.RECORD) == sorted(CALLS)


def test_list_names_existing_cases():
    for name, cases in KNOWN.items():
        assert set(cases) <= set(compare.RECORD[name]), name
