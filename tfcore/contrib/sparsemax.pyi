# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'sparsemax', 'sparsemax_loss'
]

def sparsemax(logits: _Any, name: str | None = None) -> Tensor:
    """Probabilities of which most are 0: max(logits - threshold, 0), with the threshold that makes their sum 1."""

def sparsemax_loss(logits: _Any, sparsemax: _Any, labels: _Any, name: str | None = None) -> Tensor:
    """The loss of sparsemax: 0 if its probabilities are those of the labels."""
