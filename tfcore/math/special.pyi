# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.math import bessel_i0 as bessel_i0
from tfcore.math import bessel_i0e as bessel_i0e
from tfcore.math import bessel_i1 as bessel_i1
from tfcore.math import bessel_i1e as bessel_i1e
from typing import Any as _Any

__all__ = [
'bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e', 'bessel_j0', 'bessel_j1', 'bessel_k0', 'bessel_k0e', 'bessel_k1',
'bessel_k1e', 'bessel_y0', 'bessel_y1', 'dawsn', 'expint', 'fresnel_cos', 'fresnel_sin', 'spence'
]

def bessel_j0(x: _Any, name: str | None = None) -> Tensor:
    """Bessel function of the first kind and order 0."""

def bessel_j1(x: _Any, name: str | None = None) -> Tensor:
    """Bessel function of the first kind and order 1."""

def bessel_k0(x: _Any, name: str | None = None) -> Tensor:
    """Modified Bessel function of the second kind and order 0."""

def bessel_k0e(x: _Any, name: str | None = None) -> Tensor:
    """exp(x) K0(x)."""

def bessel_k1(x: _Any, name: str | None = None) -> Tensor:
    """Modified Bessel function of the second kind and order 1."""

def bessel_k1e(x: _Any, name: str | None = None) -> Tensor:
    """exp(x) K1(x)."""

def bessel_y0(x: _Any, name: str | None = None) -> Tensor:
    """Bessel function of the second kind and order 0."""

def bessel_y1(x: _Any, name: str | None = None) -> Tensor:
    """Bessel function of the second kind and order 1."""

def dawsn(x: _Any, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x."""

def expint(x: _Any, name: str | None = None) -> Tensor:
    """Exponential integral: of exp(t) / t from -infinity to x, for x >= 0."""

def fresnel_cos(x: _Any, name: str | None = None) -> Tensor:
    """Fresnel's integral of cos(pi t^2 / 2) from 0 to x."""

def fresnel_sin(x: _Any, name: str | None = None) -> Tensor:
    """Fresnel's integral of sin(pi t^2 / 2) from 0 to x."""

def spence(x: _Any, name: str | None = None) -> Tensor:
    """Spence's integral of log(t) / (1 - t) from 1 to x, for x >= 0."""
