"""GPflow: a Gaussian process is fitted to a sine."""

import gpflow
import numpy as np

random = np.random.RandomState(0)
x = random.rand(40, 1) * 6
y = np.sin(x) + random.randn(40, 1) * 0.05
with gpflow.defer_build():
    model = gpflow.models.GPR(x, y, kern=gpflow.kernels.Matern52(1, lengthscales=0.3))
    model.likelihood.variance = 0.1
model.compile()
first = model.compute_log_likelihood()
gpflow.train.ScipyOptimizer().minimize(model)
assert model.compute_log_likelihood() > first + 10
inside = np.linspace(0.5, 5.5, 20)[:, None]
mean, variance = model.predict_y(inside)
assert abs(mean - np.sin(inside)).max() < 0.2 and (variance > 0).all()
