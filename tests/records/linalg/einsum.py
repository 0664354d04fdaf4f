"""Records of the op Einsum."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies

_EQUATIONS = (
    "ij,jk->ik ij,jk->ki ij,kj->ik ji,jk->ik ij,ij->ij ij,ij-> ij,j->i i,j->ij bij,bjk->bik bij,bkj->bki "
    "aecd,abcd->acbe acbe,aecd->abcd abc,cde->abde ij,k->ik ij,kl-> ijk,ikl->il ab,ab->b iij,j->ij iij,jj->i "
    "i,i->ii ,i->i ,-> ij->ji ij-> ii->i ii-> i->ii ijj->j iij->ij abcd->dacb ij->ij ...ij,...jk->...ik "
    "...ij,jk->...ik ...,...->... i...,...i->... ...i,...i->... ab...,b...c->ac... i...,j->j...i ...->... "
    "...ij->...ji i...->...i ...ii->...i"
).split()


def _inputs(draw, case):
    equation = draw(st.sampled_from(_EQUATIONS))
    left, right = equation.split("->")
    sizes = {label: draw(strategies.sizes(0, 4 if case.smooth else 9)) for label in sorted(set(equation) - set(",->."))}
    batch = draw(strategies.shapes(max_rank=2, max_size=3))
    arrays = []
    for subscript in left.split(","):
        dots = tuple(1 if draw(st.booleans()) else d for d in batch)[draw(st.integers(0, len(batch))) :]
        before, found, after = subscript.partition("...")
        dims = [*(sizes[x] for x in before), *(dots if found else ()), *(sizes[x] for x in after)]
        arrays.append(draw(case.array(tuple(dims))))
    return [arrays], {"equation": equation}


def _reference(inputs, equation):
    left, right = equation.split("->")
    once = "".join(dict.fromkeys(right.replace("...", "."))).replace(".", "...")
    value = np.einsum(f"{left}->{once}", *inputs)
    if once == right:
        return value
    return np.diag(value)  # the only equations of this kind here: "i->ii", "i,i->ii"


def _scale(inputs, equation):
    return _reference([np.abs(x) for x in inputs], equation)


RECORDS = [OpRecord("Einsum", _reference, _inputs, domain=(-8, 8), gradient_domain=(-1, 1), scale=_scale, ulps=16)]
