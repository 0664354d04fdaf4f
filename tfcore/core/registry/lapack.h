/* Kernels of decompositions, which call NumPy's LAPACK. */
#ifndef TFCORE_DECOMPOSITIONS_H
#define TFCORE_DECOMPOSITIONS_H

#include <stddef.h>

#include "tfcore/kernel.h"

/* The inner loop of a generalized ufunc of NumPy, which treats dims[0] matrices. dims: their number
 * and the sizes in the order of the ufunc's signature; steps: bytes from one matrix to the next of
 * each argument, then the strides of each argument. */
typedef struct tfc_lapack_loop {
  void (*run)(char** args, const ptrdiff_t* dims, const ptrdiff_t* steps, void* data);
  void* data;
} tfc_lapack_loop;

enum { TFC_LAPACK_TYPES = 4 }; /* float, double, complex64, complex128 */

/* The module lapack.pyx fills it in before it registers the kernels. Without a loop for
 * a type `run` is NULL. */
typedef struct tfc_lapack {
  tfc_lapack_loop singular_values[TFC_LAPACK_TYPES], svd[TFC_LAPACK_TYPES],
      full_svd[TFC_LAPACK_TYPES];
  tfc_lapack_loop self_adjoint_values[TFC_LAPACK_TYPES], self_adjoint_eig[TFC_LAPACK_TYPES];
  tfc_lapack_loop values[TFC_LAPACK_TYPES], eig[TFC_LAPACK_TYPES];
  void (*forget_error)(void); /* that a loop may have left on this thread: it had no memory */
  int (*get_threads)(void);   /* the threads of LAPACK, or NULL: they cannot be set */
  void (*set_threads)(int n);
} tfc_lapack;

extern tfc_lapack tfc_lapack_loops;

void tfc_lapack_after_fork(void); /* in the child */

enum { TFC_N_DECOMPOSITIONS = 10 };
extern const tfc_kernel_def tfc_decompositions[TFC_N_DECOMPOSITIONS];

#endif /* TFCORE_DECOMPOSITIONS_H */
