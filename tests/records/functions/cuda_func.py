"""Python functions that work on GPUs: what they compute is not the op's to say, and they run on GPUs only."""

RECORDS = []
EXPLICIT = {
    "CudaFunc": "tests/gpu/pycuda/test_cuda_func.py::test_types",
    "CudaFuncStateless": "tests/gpu/pycuda/test_cuda_func.py::test_stateless_calls_are_merged_and_dropped",
}
EXPLICIT_GRADIENTS = dict.fromkeys(EXPLICIT, "tests/gpu/pycuda/test_cuda_func.py::test_a_gradient_function")
