"""Kernels of users: what they compute is not the op's to say, and they run on GPUs only."""

RECORDS = []
EXPLICIT = {"CudaKernel": "tests/gpu/devices/test_cuda_kernel.py::test_types"}
