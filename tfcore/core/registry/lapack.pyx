"""The kernels of decompositions (`lapack.c`), with the LAPACK that NumPy was built with.

NumPy's generalized ufuncs are private, but their inner loops are C functions that need no GIL, and the same whatever
LAPACK is behind them. They are looked up here, when the first of these ops is about to run.
"""

cimport numpy as np
from cpython.exc cimport PyErr_Clear
from libc.stddef cimport ptrdiff_t

from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.runtime cimport *

import importlib
import os

import numpy

from tfcore.framework import errors

lapack = importlib.import_module("numpy.linalg._umath_linalg")

ctypedef void (*loop_function)(char **, const ptrdiff_t *, const ptrdiff_t *, void *) noexcept nogil

cdef enum:
    OPENMP = 2  # what openblas_get_parallel returns

cdef extern from "dlfcn.h" nogil:
    enum: RTLD_LAZY
    enum: RTLD_NOLOAD
    void *dlopen(const char *, int)
    void *dlsym(void *, const char *)

cdef extern from "registry/lapack.h" nogil:
    enum: TFC_LAPACK_TYPES
    ctypedef struct tfc_lapack_loop:
        loop_function run
        void *data
    ctypedef struct tfc_lapack:
        tfc_lapack_loop singular_values[TFC_LAPACK_TYPES]
        tfc_lapack_loop svd[TFC_LAPACK_TYPES]
        tfc_lapack_loop full_svd[TFC_LAPACK_TYPES]
        tfc_lapack_loop self_adjoint_values[TFC_LAPACK_TYPES]
        tfc_lapack_loop self_adjoint_eig[TFC_LAPACK_TYPES]
        tfc_lapack_loop values[TFC_LAPACK_TYPES]
        tfc_lapack_loop eig[TFC_LAPACK_TYPES]
        void (*forget_error)() noexcept nogil
        int (*get_threads)() noexcept nogil
        void (*set_threads)(int) noexcept nogil
    tfc_lapack tfc_lapack_loops
    void tfc_lapack_after_fork()
    enum: TFC_N_DECOMPOSITIONS
    tfc_kernel_def tfc_decompositions[TFC_N_DECOMPOSITIONS]


cdef void forget_error() noexcept nogil:
    with gil:
        PyErr_Clear()


cdef int find_loops(tfc_lapack_loop *loops, list names, str n_dims, str types="fdFD") except -1:
    """Looks up the loops of the first ufunc of these names that exists, for element types given by their letters."""
    cdef np.ufunc found
    cdef int i, k
    candidates = [getattr(lapack, name) for name in names if hasattr(lapack, name)]
    if not candidates or not isinstance(candidates[0], numpy.ufunc) or _dims(candidates[0]) != n_dims:
        raise errors.UnimplementedError(
            None,
            None,
            f"NumPy {numpy.__version__} does not have the function numpy.linalg._umath_linalg.{names[0]} that tfcore"
            " calls for decompositions of matrices. Install another version of NumPy.",
        )
    found = candidates[0]
    first = [signature[0] for signature in candidates[0].types]
    for i, letter in enumerate("fdFD"):
        if letter in first:
            k = first.index(letter)
            loops[i].run = <loop_function><void *>found.functions[k]
            loops[i].data = found.data[k]
        elif letter in types:
            raise errors.UnimplementedError(
                None, None, f"{names[0]} of NumPy {numpy.__version__} does not take elements of type {letter!r}"
            )
    return 0


def _dims(ufunc):
    """The numbers of dimensions of the arguments, such as "2>21"."""
    return ">".join(
        "".join(str(len(arg.split(","))) for arg in side.strip("()").split("),(")) for side in
        ufunc.signature.replace(" ", "").split("->")
    )


cdef find_threads():
    """Looks up the functions for the threads of OpenBLAS, under the names that it has in wheels and in systems."""
    path = os.fsencode(lapack.__file__)
    cdef void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
    cdef void *get_parallel
    cdef void *get
    cdef void *put
    if library == NULL:
        return
    for name in (b"scipy_openblas_%s_num_threads64_", b"openblas_%s_num_threads64_", b"openblas_%s_num_threads"):
        get_parallel = dlsym(library, name.replace(b"%s_num_threads", b"get_parallel"))
        if get_parallel != NULL and (<int (*)() noexcept nogil>get_parallel)() == OPENMP:
            return  # whose numbers of threads are those of one thread each
        get, put = dlsym(library, name % b"get"), dlsym(library, name % b"set")
        if get != NULL and put != NULL:
            tfc_lapack_loops.get_threads = <int (*)() noexcept nogil>get
            tfc_lapack_loops.set_threads = <void (*)(int) noexcept nogil>put
            return


def _after_fork():
    tfc_lapack_after_fork()


find_loops(tfc_lapack_loops.singular_values, ["svd", "svd_m"], "2>1")
find_loops(tfc_lapack_loops.svd, ["svd_s", "svd_m_s"], "2>212")
find_loops(tfc_lapack_loops.full_svd, ["svd_f", "svd_m_f"], "2>212")
find_loops(tfc_lapack_loops.self_adjoint_values, ["eigvalsh_lo"], "2>1")
find_loops(tfc_lapack_loops.self_adjoint_eig, ["eigh_lo"], "2>12")
find_loops(tfc_lapack_loops.values, ["eigvals"], "2>1", "fdD")
find_loops(tfc_lapack_loops.eig, ["eig"], "2>12", "fdD")
tfc_lapack_loops.forget_error = forget_error
find_threads()
os.register_at_fork(after_in_child=_after_fork)

cdef int _i
for _i in range(TFC_N_DECOMPOSITIONS):
    add_internal_kernel(&tfc_decompositions[_i])
