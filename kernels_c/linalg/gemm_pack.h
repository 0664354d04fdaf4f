/* Packing of one element type; included after gemm_vector.h. */

/* Packs lines of src that are contiguous (line j at src + j * stride, n elements each) crosswise:
 * dst[p * width + j] = src[j * stride + p], for up to LANES lines. Writes whole vectors: up to
 * LANES - lines elements after each row of dst are overwritten, in increasing order of p. */
static void N(pack_lines)(T* dst, int64_t width, const T* src, int64_t stride, int64_t lines,
                          int64_t n) {
  V v[LANES];
  for (int64_t p = 0; p < n; p += LANES) {
    const int64_t depth = n - p < LANES ? n - p : LANES;
    if (depth == LANES) {
#pragma GCC unroll 16
      for (int j = 0; j < LANES; j++) {
        v[j] = j < lines ? OF(load)(src + j * stride + p) : (V){0};
      }
    } else {
#pragma GCC unroll 16
      for (int j = 0; j < LANES; j++) {
        v[j] = j < lines ? N(load_first)(src + j * stride + p, depth) : (V){0};
      }
    }
    N(transpose)(v);
    if (depth == LANES) {
#pragma GCC unroll 16
      for (int j = 0; j < LANES; j++) OF(store)(dst + (p + j) * width, v[j]);
    } else {
      for (int64_t j = 0; j < depth; j++) OF(store)(dst + (p + j) * width, v[j]);
    }
  }
}

void N(gemm_pack_b)(T* strip, const T* b, int64_t b_rs, int64_t b_cs, int64_t k, int64_t cols,
                    int vectors) {
  const int64_t width = (int64_t)vectors * LANES;
  if (b_rs == 1 && b_cs != 1) {
    for (int v = 0; v < vectors; v++) {
      const int64_t lines = cols - v * LANES < LANES ? cols - v * LANES : LANES;
      N(pack_lines)(strip + v * LANES, width, b + v * LANES * b_cs, b_cs, lines, k);
    }
    return;
  }
  for (int64_t p = 0; p < k; p++) {
    T* row = strip + p * width;
    const T* from = b + p * b_rs;
    if (b_cs == 1) {
      for (int64_t j = 0; j < cols; j++) row[j] = from[j];
    } else {
      for (int64_t j = 0; j < cols; j++) row[j] = from[j * b_cs];
    }
    for (int64_t j = cols; j < width; j++) row[j] = 0;
  }
}

/* Packs rows x k elements of A as dst[p * rows + i]; needs LANES elements of room after it. */
static void N(pack_a)(T* dst, const T* a, int64_t a_rs, int64_t a_cs, int64_t rows, int64_t k) {
  if (a_cs == 1) {
    /* The last group first: elements written beyond its row are then overwritten. */
    for (int64_t i = (rows - 1) / LANES * LANES; i >= 0; i -= LANES) {
      const int64_t lines = rows - i < LANES ? rows - i : LANES;
      N(pack_lines)(dst + i, rows, a + i * a_rs, a_rs, lines, k);
    }
    return;
  }
  if (GEMM_MASKED_COLUMNS && a_rs == 1 && rows <= 2 * LANES) {
    const int64_t low = rows < LANES ? rows : LANES, high = rows - low;
    for (int64_t p = 0; p < k; p++) {
      OF(store)(dst + p * rows, N(load_first)(a + p * a_cs, low));
      if (high) OF(store)(dst + p * rows + LANES, N(load_first)(a + p * a_cs + LANES, high));
    }
    return;
  }
  for (int64_t p = 0; p < k; p++) {
    for (int64_t i = 0; i < rows; i++) dst[p * rows + i] = a[i * a_rs + p * a_cs];
  }
}

/* dst[line * pitch + p] = src[p * step + line * line_step]; pitch is k rounded up to whole vectors.
 */
static void N(copy_along_k)(T* dst, int64_t pitch, const T* src, int64_t step, int64_t line_step,
                            int64_t lines, int64_t k) {
  for (int64_t p = 0; p < k; p += LANES) {
    const int64_t depth = k - p < LANES ? k - p : LANES;
    if (line_step == 1) {
      N(pack_lines)(dst + p, pitch, src + p * step, step, depth, lines);
    } else {
      for (int64_t line = 0; line < lines; line++) {
        for (int64_t q = p; q < p + depth; q++) {
          dst[line * pitch + q] = src[q * step + line * line_step];
        }
      }
    }
  }
}
