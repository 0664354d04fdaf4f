"""Feature columns make the same variables and values as TensorFlow's, hash values included."""

import json
import os
import subprocess

import numpy as np
import pytest

import tfcore as tf
from tests.differential import peer
from tests.differential.columns import models


@pytest.mark.skipif(peer.python() is None, reason=peer.NOT_INSTALLED)
def test_models_on_columns():
    script = os.path.abspath(models.__file__)
    done = subprocess.run([peer.python(), script, "tensorflow.compat.v1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    theirs = json.loads(done.stdout)
    ours = {name: models.result(tf, make) for name, make in models.models(tf).items()}
    assert set(ours) == set(theirs) and len(ours) >= 40
    for name, (variables, trained, values) in ours.items():
        assert [variables, trained] == theirs[name][:2], name
        for mine, other in zip(values, theirs[name][2], strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6, err_msg=name)
