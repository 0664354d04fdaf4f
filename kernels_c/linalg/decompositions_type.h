/* QR decompositions of one element type, a template. It wants REAL (the real type of T), CONJ(x),
 * SIZE(x) (a cheap magnitude), and GEMM (the product of matrices) if the engine has the type.
 *
 * Reflectors are applied in blocks, q = (1 - v t v*) (...), so that nearly all work is in products
 * of matrices. Source: R. Schreiber, C. Van Loan, "A storage-efficient WY representation for
 * products of Householder transformations", SIAM J. Sci. Stat. Comput. 10, 1989.
 */
#include "kernels_c/linalg/householder.h"

/* v = the reflectors in columns [k, k + width) of the m x n matrix a, with their zeros and ones. */
static void N(take_reflectors)(const T* a, int64_t m, int64_t n, int64_t k, int64_t width, T* v) {
  for (int64_t i = k; i < m; i++)
    for (int64_t j = 0; j < width; j++)
      v[(i - k) * width + j] = i - k < j ? 0 : i - k == j ? 1 : a[i * n + k + j];
}

/* t of a block of reflectors: upper triangular, rows QR_WIDTH apart. gram: width * width elements.
 */
static void N(make_t)(tfc_context* ctx, const T* v, int64_t m, int64_t width, const T* tau, T* t,
                      T* gram) {
  N(product)(ctx, gram, width, width, width, m, v, 1, width, true, v, width, false);
  for (int64_t j = 0; j < width; j++) {
    for (int64_t i = 0; i < width; i++) t[i * QR_WIDTH + j] = i == j ? tau[j] : 0;
    for (int64_t i = 0; i < j; i++) {
      T sum = 0;
      for (int64_t p = i; p < j; p++) sum += t[i * QR_WIDTH + p] * gram[p * width + j];
      t[i * QR_WIDTH + j] = -tau[j] * sum;
    }
  }
}

/* c = (1 - v op(t) v*) c for a block c of m x n elements with rows `row` apart, where op is the
 * adjoint or nothing. w: 2 * width * n elements. */
static void N(reflect_block)(tfc_context* ctx, T* c, int64_t m, int64_t n, int64_t row, const T* v,
                             const T* t, int64_t width, bool adjoint, T* w) {
  T* turned = w + width * n;
  N(product)(ctx, w, n, width, n, m, v, 1, width, true, c, row, false);
  N(product)(ctx, turned, n, width, n, width, t, adjoint ? 1 : QR_WIDTH, adjoint ? QR_WIDTH : 1,
             adjoint, w, n, false);
  for (int64_t i = 0; i < width * n; i++) turned[i] = -turned[i];
  N(product)(ctx, c, row, m, n, width, v, width, 1, false, turned, n, true);
}

/* Factorises a in place; t: QR_WIDTH * (number of reflectors) elements. */
static void N(factorize_blocks)(tfc_context* ctx, T* a, int64_t m, int64_t n, T* tau, T* t, T* v,
                                T* w) {
  const int64_t least = m < n ? m : n;
  for (int64_t k = 0; k < least; k += QR_WIDTH) {
    const int64_t width = least - k < QR_WIDTH ? least - k : QR_WIDTH, rest = n - k - width;
    for (int64_t j = k; j < k + width; j++) {
      T* at = a + j * n + j;
      tau[j] = N(reflector)(at, m - j, n);
      N(reflect)(at + 1, m - j, k + width - j - 1, n, at, n, CONJ(tau[j]), w);
    }
    N(take_reflectors)(a, m, n, k, width, v);
    N(make_t)(ctx, v, m - k, width, tau + k, t + k * QR_WIDTH, w);
    if (rest > 0)
      N(reflect_block)(ctx, a + k * n + k + width, m - k, rest, n, v, t + k * QR_WIDTH, width, true,
                       w);
  }
}

/* q = the first columns of the product of the reflectors. */
static void N(make_q)(const qr_job* p, tfc_context* ctx, const T* a, T* q, const T* t, T* v, T* w) {
  const int64_t columns = p->columns;
  memset(q, 0, (size_t)(p->m * columns) * sizeof(T));
  for (int64_t i = 0; i < columns; i++) q[i * (columns + 1)] = 1;
  for (int64_t k = (p->least - 1) / QR_WIDTH * QR_WIDTH; k >= 0; k -= QR_WIDTH) {
    const int64_t width = p->least - k < QR_WIDTH ? p->least - k : QR_WIDTH;
    N(take_reflectors)(a, p->m, p->n, k, width, v);
    N(reflect_block)(ctx, q + k * (columns + 1), p->m - k, columns - k, columns, v,
                     t + k * QR_WIDTH, width, false, w);
  }
}

/* The same for few reflectors, without blocks. */
static void N(small_qr)(const qr_job* p, T* a, T* q, T* tau, T* w) {
  const int64_t columns = p->columns;
  N(householder)(a, p->m, p->n, tau, NULL, w);
  memset(q, 0, (size_t)(p->m * columns) * sizeof(T));
  for (int64_t i = 0; i < columns; i++) q[i * (columns + 1)] = 1;
  for (int64_t k = p->least - 1; k >= 0; k--)
    N(reflect)(q + k * (columns + 1), p->m - k, columns - k, columns, a + k * (p->n + 1), p->n,
               tau[k], w);
}

static void N(qr_matrices)(void* arg, int64_t begin, int64_t end) {
  const qr_job* p = arg;
  const int64_t m = p->m, n = p->n, least = p->least;
  tfc_context* ctx = p->alone ? p->ctx : NULL;
  for (int64_t i = begin; i < end; i++) {
    T *a = (T*)p->scratch + i * p->per_matrix, *tau = a + m * n, *w = tau + least;
    T *t = w + p->w_size, *v = t + least * QR_WIDTH;
    T *q = (T*)p->q + i * m * p->columns, *r = (T*)p->r + i * p->columns * n;
    memcpy(a, (const T*)p->a + i * m * n, (size_t)(m * n) * sizeof(T));
    if (least <= QR_SMALL) {
      N(small_qr)(p, a, q, tau, w);
    } else {
      N(factorize_blocks)(ctx, a, m, n, tau, t, v, w);
      N(make_q)(p, ctx, a, q, t, v, w);
    }
    memset(r, 0, (size_t)(p->columns * n) * sizeof(T));
    for (int64_t k = 0; k < least; k++)
      memcpy(r + k * (n + 1), a + k * (n + 1), (size_t)(n - k) * sizeof(T));
  }
}

#undef T
#undef REAL
#undef CONJ
#undef SIZE
#undef GEMM
