/* Register tiles of forward convolution. */

/* ---- Forward: tiles. */

typedef struct {
  const int64_t* offsets; /* of the k blocks in the input, in elements */
  int64_t blocks;         /* how many in a plane */
  int64_t planes;         /* of taps */
  int64_t a_plane;        /* from a plane to the next, input */
  int64_t b_plane;        /* and packed filter */
  int64_t kc;             /* length of a block */
  int64_t ldb;            /* from a block to the next in the packed filter */
  int64_t lda;            /* from a pixel of the tile to the next, input */
  int64_t ldc;            /* and output */
  const T* bias;          /* for the columns of the tile, or NULL */
  int64_t width;          /* columns to store */
  bool relu;
  bool accumulate; /* add to the output */
} tile_job;

/* Row i of a tile: three base pointers five rows apart, and multiples of lda that addressing modes
 * of the processor can express. */
#define TILE_ROW(i) (*(const T*)(q[(i) / 5] + ((i) % 5 == 3 ? lda3 : ((i) % 5) * lda)))

static inline
    __attribute__((always_inline)) void tile_store(const tile_job* job, T* c, int64_t ldc, int mr,
                                                   int nv, V acc[CONV_MR][CONV_NV]) {
  const V zero = {0};
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) {
      V v = acc[i][j];
      if (job->accumulate) v += OF(load)(c + i * ldc + j * LANES);
      if (job->bias) v += OF(load)(job->bias + j * LANES);
      if (job->relu) v = (V)((M)v & ~(M)(v <= zero));
      OF(store)(c + i * ldc + j * LANES, v);
    }
  }
}

static inline __attribute__((always_inline)) void tile(const tile_job* job, const T* a, const T* b,
                                                       T* c, int mr, int nv) {
  V acc[CONV_MR][CONV_NV];
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) acc[i][j] = (V){0};
  }
  int64_t lda = job->lda * (int64_t)sizeof(T), lda3 = 3 * lda;
  int64_t block = 0;
  for (int64_t left = job->planes * job->blocks; left > 0; left--) {
    const T* bk = b + block * job->ldb;
    const char* q[3];
    q[0] = (const char*)(a + job->offsets[block]);
    q[1] = q[0] + 5 * lda;
    q[2] = q[1] + 5 * lda;
    for (int64_t k = job->kc; k > 0; k--) {
      HIDE(q[0]);
      if (mr > 5) HIDE(q[1]);
      if (mr > 10) HIDE(q[2]);
      HIDE(lda3);
      V bv[CONV_NV];
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++) bv[j] = OF(load)(bk + j * LANES);
#pragma GCC unroll 16
      for (int i = 0; i < mr; i++) {
        T x = TILE_ROW(i);
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) acc[i][j] += x * bv[j];
      }
      bk += nv * LANES;
      q[0] += sizeof(T);
      q[1] += sizeof(T);
      q[2] += sizeof(T);
    }
    if (++block == job->blocks) { /* the next plane */
      block = 0;
      a += job->a_plane;
      b += job->b_plane;
    }
  }
  if (job->width == nv * LANES) {
    tile_store(job, c, job->ldc, mr, nv, acc);
    return;
  }
  /* Tail columns: through a buffer of full vectors. */
  T buffer[CONV_MR * NB];
  if (job->accumulate)
    for (int i = 0; i < mr; i++) {
      memset(buffer + i * nv * LANES, 0, nv * LANES * sizeof(T));
      memcpy(buffer + i * nv * LANES, c + i * job->ldc, job->width * sizeof(T));
    }
  tile_store(job, buffer, nv * LANES, mr, nv, acc);
  for (int i = 0; i < mr; i++)
    memcpy(c + i * job->ldc, buffer + i * nv * LANES, job->width * sizeof(T));
}

typedef void (*tile_fn)(const tile_job*, const T* a, const T* b, T* c);

#define TILES_OF_HEIGHT(MR)                                                      \
  static void tile_##MR##x1(const tile_job* job, const T* a, const T* b, T* c) { \
    tile(job, a, b, c, MR, 1);                                                   \
  }                                                                              \
  static void tile_##MR##x2(const tile_job* job, const T* a, const T* b, T* c) { \
    tile(job, a, b, c, MR, 2);                                                   \
  }
TILES_OF_HEIGHT(1)
TILES_OF_HEIGHT(2)
TILES_OF_HEIGHT(3)
TILES_OF_HEIGHT(4)
#if CONV_MR > 4
TILES_OF_HEIGHT(5)
TILES_OF_HEIGHT(6)
#endif
#if CONV_MR > 6
TILES_OF_HEIGHT(7)
TILES_OF_HEIGHT(8)
#endif
#if CONV_MR > 8
TILES_OF_HEIGHT(9)
TILES_OF_HEIGHT(10)
TILES_OF_HEIGHT(11)
TILES_OF_HEIGHT(12)
TILES_OF_HEIGHT(13)
TILES_OF_HEIGHT(14)
#endif

#define TILE_ROW_OF_TABLE(MR) {tile_##MR##x1, tile_##MR##x2}
static const tile_fn tiles[CONV_MR][CONV_NV] = {
    TILE_ROW_OF_TABLE(1),  TILE_ROW_OF_TABLE(2),  TILE_ROW_OF_TABLE(3),  TILE_ROW_OF_TABLE(4),
#if CONV_MR > 4
    TILE_ROW_OF_TABLE(5),  TILE_ROW_OF_TABLE(6),
#endif
#if CONV_MR > 6
    TILE_ROW_OF_TABLE(7),  TILE_ROW_OF_TABLE(8),
#endif
#if CONV_MR > 8
    TILE_ROW_OF_TABLE(9),  TILE_ROW_OF_TABLE(10), TILE_ROW_OF_TABLE(11), TILE_ROW_OF_TABLE(12),
    TILE_ROW_OF_TABLE(13), TILE_ROW_OF_TABLE(14),
#endif
};
