"""Hints such as is_square: contradictions, and operators made from others with the hints that follow."""

from importlib import import_module


def implied(hint, message):
    """True; an error if the program said otherwise."""
    if hint is False:
        raise ValueError(message)
    return True


def refused(hint, message):
    """False; an error if the program said otherwise."""
    if hint:
        raise ValueError(message)
    return False


def of_all(operators, name, given, message):
    """A hint that holds for a whole if it holds for all of its parts."""
    return implied(given, message) if all(getattr(o, name) for o in operators) else given


def agreed(operator, name, given, message):
    """A hint that is the same for two operators."""
    own = getattr(operator, name)
    if given is None or own is None or bool(own) == bool(given):
        return own if given is None else given
    raise ValueError(message)


def of(operator, **more):
    """The hints of an operator."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
        **more,
    }


def of_commuting_product(a, b):
    """The hints of a b for matrices that commute, such as diagonal ones."""
    self_adjoint = None
    if a.is_self_adjoint is not None and b.is_self_adjoint is not None:
        self_adjoint = True if a.is_self_adjoint and b.is_self_adjoint else None
        if bool(a.is_self_adjoint) != bool(b.is_self_adjoint):
            self_adjoint = False
    positive = all(o.is_positive_definite and o.is_self_adjoint for o in (a, b))
    return {
        "is_non_singular": non_singular_product(a, b),
        "is_self_adjoint": self_adjoint,
        "is_positive_definite": True if positive else None,
        "is_square": True,
    }


def non_singular_product(a, b):
    """Whether the product of two square matrices has an inverse."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return a.is_non_singular and b.is_non_singular


def _square_product(a, b):
    if a.is_square and b.is_square:
        return True
    if a.is_square is False and b.is_square is False:
        m, n = a.range_dimension.value, b.domain_dimension.value
        return None if m is None or n is None else m == n
    return None if a.is_square is None or b.is_square is None else False


def _of_product(a, b):
    square = _square_product(a, b)
    if square is False:
        return dict.fromkeys(("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square"), False)
    return {"is_non_singular": non_singular_product(a, b) if square else None, "is_square": square}


# ---- Kinds import the base class, and the base class makes some kinds.


def _kind(module, name):
    return getattr(import_module(f"tfcore.composed.linear_operators.{module}"), f"LinearOperator{name}")


def product(left, right):
    """The operator left right."""
    if isinstance(right, _kind("identity", "Identity")):
        return left
    if isinstance(right, _kind("zeros", "Zeros")):
        _want_square_zeros(left, right)
        return right
    return _kind("composition", "Composition")([left, right], **_of_product(left, right))


def _want_square_zeros(left, right):
    if not right.is_square or not left.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
        )


def zeros_product(zeros, right):
    """The operator zeros right."""
    _want_square_zeros(zeros, right)
    return zeros


def solution(left, right):
    """The operator left^-1 right."""
    if isinstance(right, _kind("identity", "Identity")):
        return left.inverse()
    return _kind("composition", "Composition")([inverse_of(left), right], **_of_product(left, right))


def adjoint_of(operator):
    """The operator of the adjoints, whose methods are those of `operator`."""
    return _kind("adjoint", "Adjoint")(operator, **of(operator))


def inverse_of(operator):
    """The operator of the inverses, whose methods are those of `operator`."""
    return _kind("inversion", "Inversion")(operator)


def lower_triangular(tril, **given):
    """The operator of regular lower triangular matrices."""
    given = {"is_non_singular": True, "is_self_adjoint": False, "is_square": True, **given}
    return _kind("lower_triangular", "LowerTriangular")(tril, **given)


def dense_part(operator, slices):
    """The operator of a part of the batch."""
    slices = slices if isinstance(slices, tuple) else (slices,)
    full = slice(None)
    rest = () if Ellipsis in slices else (Ellipsis,)
    part = operator.to_dense()[(*slices, *rest, full, full)]
    return _kind("full_matrix", "FullMatrix")(part, **of(operator))


# ---- Arguments


def arguments(variables):
    """The arguments of a constructor, of which `variables` are the locals."""
    return {key: value for key, value in variables.items() if key not in ("self", "__class__")}


def operators_of_one_dtype(operators):
    """A list of operators, which is not empty."""
    operators = list(operators)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if any(o.dtype != operators[0].dtype for o in operators):
        found = "   ".join(str((o.name, o.dtype)) for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return operators


def word(name):
    """What a hint says: is_non_singular says "non-singular"."""
    return name.removeprefix("is_").replace("_", "-")
