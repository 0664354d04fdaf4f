"""Decompositions, which are unique only up to signs and phases: tests multiply the factors."""

_TEST = "tests/ops/linalg/test_decompositions.py"
EXPLICIT = {
    "Svd": f"{_TEST}::test_svd",
    "BatchSvd": f"{_TEST}::test_svd",
    "Qr": f"{_TEST}::test_qr",
    "SelfAdjointEig": f"{_TEST}::test_self_adjoint_eig",
    "BatchSelfAdjointEig": f"{_TEST}::test_self_adjoint_eig",
    "SelfAdjointEigV2": f"{_TEST}::test_self_adjoint_eig",
    "BatchSelfAdjointEigV2": f"{_TEST}::test_self_adjoint_eig",
    "Eig": f"{_TEST}::test_eig",
}
EXPLICIT_GRADIENTS = {
    "Svd": f"{_TEST}::test_gradients_of_svd",
    "Qr": f"{_TEST}::test_gradients_of_qr",
    "SelfAdjointEigV2": f"{_TEST}::test_gradients_of_self_adjoint_eig",
    "Eig": f"{_TEST}::test_gradients_of_eig",
    "MatrixSolveLs": "tests/ops/linalg/test_least_squares.py::test_gradients_of_least_squares",
}
RECORDS = []
