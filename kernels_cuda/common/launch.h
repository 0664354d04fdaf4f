/* The geometry of launches, computed on the host from a kernel's parameters.
 *
 * A parameter struct NAME_params has beside it a function NAME_launch, which says how to launch
 * every kernel that takes this struct. Plain C, shared by tests and the runtime. A grid of no
 * blocks means that there is nothing to do: CUDA refuses such a launch, so do not make it. */
#ifndef TFCORE_CUDA_LAUNCH_H
#define TFCORE_CUDA_LAUNCH_H

#include <stdint.h>

/* For the few functions here that kernels call, too. */
#ifdef __CUDACC__
#define TFC_ALSO_ON_DEVICE __host__ __device__
#else
#define TFC_ALSO_ON_DEVICE
#endif

typedef struct tfc_launch {
  uint32_t grid[3], block[3];
  uint32_t shared; /* bytes of dynamic shared memory */
} tfc_launch;

enum {
  TFC_MAX_DIMS = 8, /* of shapes in parameter structs, after merging of dimensions */
  TFC_BLOCK = 256,  /* threads of a block where nothing calls for another number */
  TFC_MAX_BLOCKS =
      8192, /* enough to fill the largest cards several times; loops stride over the rest */
};

static inline int64_t tfc_ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

static inline tfc_launch tfc_launch_blocks(int64_t blocks, uint32_t threads) {
  tfc_launch l = {{0, 1, 1}, {threads, 1, 1}, 0};
  const int64_t most = TFC_MAX_BLOCKS;
  l.grid[0] = (uint32_t)(blocks < most ? blocks : most);
  return l;
}
/* A thread for each of n elements; kernels loop with TFC_FOR_ELEMENTS. */
static inline tfc_launch tfc_launch_elements(int64_t n) {
  return tfc_launch_blocks(tfc_ceil_div(n, TFC_BLOCK), TFC_BLOCK);
}

/* The same for kernels that take groups of neighbours, mostly of four. */
static inline tfc_launch tfc_launch_groups(int64_t n) {
  return tfc_launch_elements(tfc_ceil_div(n, 4));
}

/* What kernels report, in device memory that is zero before the launch: every word only grows, by
 * atomic operations, so that the report does not depend on the order of threads. */
typedef struct tfc_report {
  uint32_t failed; /* bits of enum tfc_failure */
  uint32_t unused;
  /* The first wrong index, if TFC_BAD_INDEX: two words for each number of the index (see
   * tfc_reported_index). */
  uint64_t index[TFC_MAX_DIMS][2];
} tfc_report;

enum tfc_failure {
  TFC_DIVIDED_BY_ZERO = 1,
  TFC_NEGATIVE_EXPONENT = 2,
  TFC_BAD_INDEX = 4,
};

/* A word has the inverted position of the index (from the front of the tensor of indices, so that
 * the first one is the largest word) and one half of its value. Positions above 2^32 - 2 count as
 * this number. */
static inline TFC_ALSO_ON_DEVICE uint64_t tfc_report_word(int64_t position, uint32_t half) {
  uint64_t limited = (uint64_t)position < 0xfffffffeu ? (uint64_t)position : 0xfffffffeu;
  return (0xffffffffu - limited) << 32 | half;
}
/* Reads the k-th number of the first wrong index. */
static inline void tfc_reported_index(const tfc_report* r, int k, int64_t* position,
                                      int64_t* value) {
  uint64_t high = r->index[k][0], low = r->index[k][1];
  *position = (int64_t)(0xffffffffu - (high >> 32));
  *value = (int64_t)(high << 32 | (low & 0xffffffffu));
}

#endif /* TFCORE_CUDA_LAUNCH_H */
