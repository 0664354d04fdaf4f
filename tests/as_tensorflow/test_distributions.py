"""What tensorflow_probability takes from tensorflow.python.ops.distributions and tensorflow.python.ops.linalg."""

from tests.as_tensorflow.test_programs import installed


def test_distributions_with_softplus():
    installed(
        """
        import numpy as np
        import tensorflow as tf
        from tensorflow.python.ops.distributions.beta import BetaWithSoftplusConcentration
        from tensorflow.python.ops.distributions.exponential import ExponentialWithSoftplusRate
        from tensorflow.python.ops.distributions.gamma import GammaWithSoftplusConcentrationRate
        from tensorflow.python.ops.distributions.laplace import LaplaceWithSoftplusScale
        from tensorflow.python.ops.distributions.normal import NormalWithSoftplusScale
        from tensorflow.python.ops.distributions.student_t import StudentTWithAbsDfSoftplusScale

        plus = lambda x: np.float32(np.log1p(np.exp(x)))
        d = tf.distributions
        pairs = [
            (BetaWithSoftplusConcentration(1.0, -2.0), d.Beta(plus(1.0), plus(-2.0))),
            (ExponentialWithSoftplusRate(-1.0), d.Exponential(plus(-1.0))),
            (GammaWithSoftplusConcentrationRate(1.0, -2.0), d.Gamma(plus(1.0), plus(-2.0))),
            (LaplaceWithSoftplusScale(1.0, -2.0), d.Laplace(1.0, plus(-2.0))),
            (NormalWithSoftplusScale(1.0, -2.0), d.Normal(1.0, plus(-2.0))),
            (StudentTWithAbsDfSoftplusScale(-4.5, 1.0, -2.0), d.StudentT(4.0, 1.0, plus(-2.0))),
        ]
        with tf.Session() as sess:
            for found, wanted in pairs:
                a, b = sess.run([found.log_prob(0.3), wanted.log_prob(0.3)])
                assert abs(a - b) < 1e-5, (found, a, b)
                assert found.copy(name="other").name.startswith("other"), found.name
        """
    )


def test_linear_operators():
    installed(
        """
        import numpy as np
        import tensorflow as tf
        from tensorflow.python.ops.linalg import linear_operator_addition as addition
        from tensorflow.python.ops.linalg import linear_operator_util as util

        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 1, 3, 3)) + 4 * np.eye(3), rng.normal(size=(4, 3, 2))
        lower, square = np.tril(a), np.eye(3) + np.zeros((2, 1, 1, 1))
        la = tf.linalg
        sums = [
            [la.LinearOperatorIdentity(3), la.LinearOperatorScaledIdentity(3, 2.0)],
            [la.LinearOperatorScaledIdentity(3, 2.0), la.LinearOperatorDiag([1.0, 2.0, 3.0])],
            [la.LinearOperatorDiag([1.0, 2.0, 3.0]), la.LinearOperatorLowerTriangular(np.float32(lower[0, 0]))],
            [la.LinearOperatorIdentity(3), la.LinearOperatorFullMatrix(np.float32(a[0, 0]))],
        ]
        kinds = ["ScaledIdentity", "Diag", "LowerTriangular", "FullMatrix"]
        with tf.Session() as sess:
            np.testing.assert_allclose(sess.run(util.matmul_with_broadcast(a, b)), a @ b)
            np.testing.assert_allclose(sess.run(util.matrix_solve_with_broadcast(a, b)), np.linalg.solve(a, b + 0 * b))
            found = sess.run(util.matrix_triangular_solve_with_broadcast(lower, b))
            np.testing.assert_allclose(lower @ found, b + np.zeros_like(found))
            found = sess.run(util.cholesky_solve_with_broadcast(lower, b))
            np.testing.assert_allclose(lower @ np.swapaxes(lower, -1, -2) @ found, b + np.zeros_like(found), atol=1e-9)
            for operators, kind in zip(sums, kinds):
                (total,) = addition.add_operators(operators)
                assert type(total).__name__ == f"LinearOperator{kind}"
                found, *parts = sess.run([op.to_dense() for op in (total, *operators)])
                np.testing.assert_allclose(found, sum(parts), rtol=1e-6)
            (named,) = addition.add_operators(sums[0], operator_name="sum")
            assert named.name == "sum" and addition.add_operators([total])[0] is total
            sess.run(util.assert_no_entries_with_modulus_zero([1.0, -1.0]))
            for bad in (util.assert_no_entries_with_modulus_zero([1.0, 0.0]), util.assert_zero_imag_part([1j])):
                try:
                    sess.run(bad)
                    assert False
                except tf.errors.InvalidArgumentError:
                    pass
        for wrong, error in ((lambda: addition.add_operators([]), ValueError),
                             (lambda: addition.add_operators(sums[0], addition_tiers=[]), NotImplementedError)):
            try:
                wrong()
                assert False
            except error:
                pass
        """
    )


def test_truncated_normal_numbers():
    installed(
        """
        import tensorflow as tf
        from tensorflow.python.ops import random_ops
        x = random_ops.parameterized_truncated_normal([1000], means=1.0, stddevs=2.0, minvals=0.0, maxvals=1.5, seed=1)
        with tf.Session() as sess:
            x = sess.run(x)
        assert x.min() >= 0.0 and x.max() <= 1.5 and 0.6 < x.mean() < 0.9, (x.min(), x.max(), x.mean())
        """
    )
