/* What the launchers share. A launcher is the host's side of a kernel: it checks shapes, makes the
 * outputs, fills in the parameters and launches. */
#ifndef TFCORE_CUDA_LAUNCHER_H
#define TFCORE_CUDA_LAUNCHER_H

#include <tfcore/kernel.h>

#include "kernels_c/common/common.h"
#include "kernels_cuda/common/launch.h"

#pragma GCC visibility push(hidden)

/* Launches a function whose parameters are a `NAME_params`. */
#define TFC_LAUNCH(CTX, FUNCTION, NAME, PARAMS) \
  tfc_launch_params(CTX, FUNCTION, NAME##_launch(PARAMS), PARAMS, sizeof(NAME##_params))

static inline int tfc_launch_params(tfc_context* ctx, const tfc_function* function, tfc_launch l,
                                    const void* params, size_t bytes) {
  if (!l.grid[0]) return TFC_OK; /* there is nothing to do */
  return tfc_launch_function(ctx, function, l.grid, l.block, l.shared, params, bytes);
}

/* TensorFlow's name of a type, as in the names of functions; NULL: a type that no function has. */
const char* tfc_cuda_type(int32_t dtype);

/* The function of a module for a type: "Sigmoid" and TFC_HALF give Sigmoid_half. */
int tfc_find_function(tfc_construction* c, const char* module, const char* name, int32_t dtype,
                      const tfc_function** out);
/* The one for elements of this type's size: "Select" and TFC_FLOAT give Select_bytes4. */
int tfc_find_mover(tfc_construction* c, const char* module, const char* name, int32_t dtype,
                   const tfc_function** out);

/* Where functions report; see launch.h. `explain` gets it as a tfc_report. NULL: out of memory. */
static inline tfc_report* tfc_new_report(tfc_context* ctx, tfc_explain_fn explain,
                                         const void* argument, size_t bytes) {
  return tfc_report_to(ctx, sizeof(tfc_report), explain, argument, bytes);
}

#pragma GCC visibility pop

#endif /* TFCORE_CUDA_LAUNCHER_H */
