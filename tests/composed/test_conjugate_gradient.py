"""tf.linalg.experimental.conjugate_gradient"""

import numpy as np
import pytest

import tfcore as tf

RANDOM = np.random.RandomState(0)
HALVES = RANDOM.randn(3, 5, 5)
MATRICES = HALVES @ HALVES.swapaxes(1, 2) + 5 * np.eye(5)
RIGHT = RANDOM.randn(3, 5)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def operator(matrices, **facts):
    facts = {"is_self_adjoint": True, "is_positive_definite": True, **facts}
    return tf.linalg.LinearOperatorFullMatrix(matrices, **facts)


@pytest.mark.parametrize("right", [RIGHT, RIGHT[0]])
@pytest.mark.parametrize("is_conditioned", [False, True])
@pytest.mark.parametrize("guess", [None, np.ones((3, 5))])
def test_solutions(right, is_conditioned, guess):
    diagonal = tf.linalg.LinearOperatorDiag(1 / np.diagonal(MATRICES, axis1=1, axis2=2)) if is_conditioned else None
    state = tf.linalg.experimental.conjugate_gradient(operator(MATRICES), right, diagonal, guess, tol=1e-10)
    found = tf.Session().run(state)
    expected = np.linalg.solve(MATRICES, np.broadcast_to(right, (3, 5))[..., None])[..., 0]
    np.testing.assert_allclose(found.x, expected, 1e-8)
    np.testing.assert_allclose(found.r, right - np.einsum("bij,bj->bi", MATRICES, found.x), atol=1e-9)
    assert 3 <= found.i <= 10


def test_ends_after_the_greatest_number_of_steps():
    state = tf.Session().run(tf.linalg.experimental.conjugate_gradient(operator(MATRICES), RIGHT, max_iter=2))
    assert state.i == 2
    with pytest.raises(ValueError, match="Expected a self-adjoint, positive definite operator"):
        tf.linalg.experimental.conjugate_gradient(operator(MATRICES, is_positive_definite=None), RIGHT)
