"""What SciPy has lost since 2016. SciPy itself is imported when it is used: it may be half imported at first."""

import numpy as np


def _dense(self):
    return self.toarray()


def _adjoint(self):
    return self.conj().T


A, H = property(_dense), property(_adjoint)  # of sparse matrices


def simps(y, x=None, dx=1.0, axis=-1, even=None):
    from scipy import integrate

    return integrate.simpson(y, x=x, dx=dx, axis=axis)


def chisqprob(chisq, df):
    from scipy import stats

    return stats.chi2.sf(chisq, df)


def median_absolute_deviation(x, axis=0, center=np.median, scale=1.4826, nan_policy="propagate"):
    from scipy import stats

    return scale * stats.median_abs_deviation(x, axis, center, nan_policy=nan_policy)


def central_diff_weights(Np, ndiv=1):  # noqa: N803
    """Weights of `Np` equally spaced points for the derivative of order `ndiv` at the middle one."""
    if Np < ndiv + 1:
        raise ValueError("Number of points must be at least the derivative order + 1.")
    if Np % 2 == 0:
        raise ValueError("The number of points must be odd.")
    points = np.arange(Np) - Np // 2
    powers = points[:, None] ** np.arange(float(Np))
    return np.prod(np.arange(1, ndiv + 1)) * np.linalg.inv(powers)[ndiv]


def derivative(func, x0, dx=1.0, n=1, args=(), order=3):
    """The derivative of order `n` at `x0` by central differences of `order` points."""
    if order < n + 1:
        raise ValueError("'order' (the number of points used to compute the derivative), must be at least the "
                         "derivative order 'n' + 1.")  # fmt: skip
    if order % 2 == 0:
        raise ValueError("'order' (the number of points used to compute the derivative) must be odd.")
    weights = central_diff_weights(order, n)
    values = (weight * func(x0 + (k - order // 2) * dx, *args) for k, weight in enumerate(weights))
    return sum(values) / np.prod((dx,) * n, axis=0)
