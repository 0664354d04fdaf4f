/* See array/copy.h. */
#include "kernels_c/array/copy.h"

#include <string.h>

typedef uint16_t __attribute__((aligned(1), may_alias)) u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) u64;
typedef struct {
  u64 low, high;
} u128;

/* Larger outputs would not stay in the cache until they are read. */
enum { STREAM_BYTES = 8 << 20 };

/* Merged strides may form longer elements: a row of two floats is copied as one 8-byte element. */
typedef struct copy_plan {
  char* to;
  const char* from;
  size_t size;     /* bytes per element */
  int outer;       /* number of outer dimensions */
  int64_t outer_n; /* product of the outer dimensions */
  int64_t n;       /* innermost dimension */
  int64_t to_step; /* its strides, in elements */
  int64_t from_step;
  int64_t rows;   /* transposition: dimension that is contiguous in the destination */
  int64_t to_row; /* strides of the transposed pair */
  int64_t from_row;
  int64_t columns; /* short lines: the dimension around them */
  int64_t to_column, from_column;
  bool stream;
  tfc_box box; /* outer dimensions, strides in elements */
} copy_plan;

/* The start of outer item `index` on both sides. */
static void locate(const copy_plan* p, int64_t index, int64_t* to, int64_t* from) {
  int64_t t = 0, f = 0;
  for (int i = p->outer - 1; i >= 0; i--) {
    const int64_t k = index % p->box.dims[i];
    index /= p->box.dims[i];
    t += k * p->box.to[i];
    f += k * p->box.from[i];
  }
  *to = t * (int64_t)p->size;
  *from = f * (int64_t)p->size;
}

/* Counter over outer items; cheaper than dividing for every row. */
typedef struct walk {
  int64_t at[TFC_BOX_MAX];
  int64_t to, from; /* in bytes */
} walk;

static void walk_start(const copy_plan* p, int64_t index, walk* w) {
  locate(p, index, &w->to, &w->from);
  for (int i = p->outer - 1; i >= 0; i--) {
    w->at[i] = index % p->box.dims[i];
    index /= p->box.dims[i];
  }
}

static inline void walk_next(const copy_plan* p, walk* w) {
  const int64_t size = (int64_t)p->size;
  for (int i = p->outer - 1; i >= 0; i--) {
    w->to += p->box.to[i] * size;
    w->from += p->box.from[i] * size;
    if (++w->at[i] < p->box.dims[i]) return;
    w->to -= p->box.dims[i] * p->box.to[i] * size;
    w->from -= p->box.dims[i] * p->box.from[i] * size;
    w->at[i] = 0;
  }
}

#define STEP_LOOP(T)                                       \
  {                                                        \
    T* y = (T*)to;                                         \
    const T* x = (const T*)from;                           \
    if (b == 1 && a == 0) {                                \
      const T v = x[0];                                    \
      for (int64_t i = 0; i < n; i++) y[i] = v;            \
    } else if (b == 1 && a == -1) {                        \
      for (int64_t i = 0; i < n; i++) y[i] = x[-i];        \
    } else if (b == 1) {                                   \
      for (int64_t i = 0; i < n; i++) y[i] = x[i * a];     \
    } else {                                               \
      for (int64_t i = 0; i < n; i++) y[i * b] = x[i * a]; \
    }                                                      \
  }

static void copy_line(char* to, int64_t b, const char* from, int64_t a, int64_t n, size_t size) {
  switch (size) {
    case 1: STEP_LOOP(uint8_t) break;
    case 2: STEP_LOOP(u16) break;
    case 4: STEP_LOOP(u32) break;
    case 8: STEP_LOOP(u64) break;
    default: STEP_LOOP(u128) break;
  }
}

static void copy_lines(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  walk w;
  walk_start(p, begin, &w);
  for (int64_t i = begin; i < end; i++) {
    copy_line(p->to + w.to, p->to_step, p->from + w.from, p->from_step, p->n, p->size);
    walk_next(p, &w);
  }
}

static void copy_rows(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t bytes = p->n * (int64_t)p->size;
  walk w;
  walk_start(p, begin, &w);
  for (int64_t i = begin; i < end; i++) {
    tfc_move_bytes(p->to + w.to, p->from + w.from, bytes);
    walk_next(p, &w);
  }
}

/* ---- Short lines, such as the channels of a pixel: many at a time. */

enum { SHORT_BYTES = 64, SHORT_ELEMENTS = 16, ROWS = 64, TILE = 16, COLUMNS = 1024 };

/* `bytes` and `room` are constants for the compiler. Copies `room` bytes for each but the last:
 * what is behind a pixel is overwritten by the next. */
static inline void copy_each(char* to, int64_t to_step, const char* from, int64_t from_step,
                             int64_t n, int64_t bytes, size_t room) {
  int64_t i = 0;
  if (to_step == bytes && from_step >= bytes)
    for (; i < n - 1; i++) memcpy(to + i * to_step, from + i * from_step, room);
  for (; i < n; i++) tfc_move_bytes(to + i * to_step, from + i * from_step, bytes);
}

static void copy_pixels(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n,
                        int64_t bytes) {
  if (bytes == 3)
    copy_each(to, to_step, from, from_step, n, 3, 4);
  else if (bytes == 12)
    copy_each(to, to_step, from, from_step, n, 12, 16);
  else
    for (int64_t i = 0; i < n; i++) tfc_move_bytes(to + i * to_step, from + i * from_step, bytes);
}

static int64_t pieces_of(int64_t n, int64_t piece) {
  return (n + piece - 1) / piece;
}

/* Whole lines. An item is a strip of rows of an outer item; if rows and columns change places,
 * tiles of both stay in the cache. */
static void copy_tiles(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t strips = pieces_of(p->rows, ROWS), size = (int64_t)p->size;
  const int64_t width = p->rows > 1 ? TILE : p->columns;
  for (int64_t item = begin; item < end; item++) {
    const int64_t first = item % strips * ROWS;
    const int64_t last = p->rows - first < ROWS ? p->rows : first + ROWS;
    int64_t to, from;
    locate(p, item / strips, &to, &from);
    for (int64_t c = 0; c < p->columns; c += width)
      for (int64_t r = first; r < last; r++)
        copy_pixels(p->to + to + (r * p->to_row + c * p->to_column) * size, p->to_column * size,
                    p->from + from + (r * p->from_row + c * p->from_column) * size,
                    p->from_column * size, p->columns - c < width ? p->columns - c : width,
                    p->n * size);
  }
}

/* Lines with steps. An item is a part of the columns of an outer item. */
static void copy_columns(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t parts = pieces_of(p->columns, COLUMNS), size = (int64_t)p->size;
  for (int64_t item = begin; item < end; item++) {
    const int64_t c = item % parts * COLUMNS;
    const int64_t n = p->columns - c < COLUMNS ? p->columns - c : COLUMNS;
    int64_t to, from;
    locate(p, item / parts, &to, &from);
    for (int64_t k = 0; k < p->n; k++)
      copy_line(p->to + to + (k * p->to_step + c * p->to_column) * size, p->to_column,
                p->from + from + (k * p->from_step + c * p->from_column) * size, p->from_column, n,
                p->size);
  }
}

/* One long contiguous run, in pieces of 64 KB. */
enum { PIECE = 1 << 16 };
static void copy_pieces(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t bytes = p->n * (int64_t)p->size;
  const int64_t first = begin * PIECE, last = end * PIECE < bytes ? end * PIECE : bytes;
  memcpy(p->to + first, p->from + first, (size_t)(last - first));
}

static void fill_pieces(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t step = PIECE / (int64_t)p->size;
  const int64_t first = begin * step, last = end * step < p->n ? end * step : p->n;
  copy_line(p->to + first * (int64_t)p->size, 1, p->from, 0, last - first, p->size);
}

/* Strips of the dimension that is contiguous in the source (n), for each outer item. */
enum { STRIP = 64 };
static void transpose_strips(void* arg, int64_t begin, int64_t end) {
  const copy_plan* p = arg;
  const int64_t strips = (p->n + STRIP - 1) / STRIP, size = (int64_t)p->size;
  while (begin < end) {
    const int64_t item = begin / strips, strip = begin % strips;
    const int64_t stop = end - begin < strips - strip ? strip + end - begin : strips;
    const int64_t first = strip * STRIP, last = stop * STRIP < p->n ? stop * STRIP : p->n;
    int64_t to, from;
    locate(p, item, &to, &from);
    tfc_transpose_2d(p->from + from + first * size, p->from_row,
                     p->to + to + first * p->to_row * size, p->to_row, p->rows, last - first,
                     p->size, p->stream);
    begin += stop - strip;
  }
}

static void remove_dim(tfc_box* b, int k) {
  b->rank--;
  for (int i = k; i < b->rank; i++) {
    b->dims[i] = b->dims[i + 1];
    b->to[i] = b->to[i + 1];
    b->from[i] = b->from[i + 1];
  }
}

static void set_outer(copy_plan* p) {
  p->outer = p->box.rank;
  p->outer_n = 1;
  for (int i = 0; i < p->outer; i++) p->outer_n *= p->box.dims[i];
}

/* The dimension with source stride 1 if it is not the innermost; -1: none. */
static int source_inner(const tfc_box* b) {
  for (int i = 0; i < b->rank - 1; i++)
    if (b->from[i] == 1) return i;
  return -1;
}

static void copy_transposed(tfc_context* ctx, copy_plan* p, int k) {
  tfc_box* b = &p->box;
  const int last = b->rank - 1;
  p->n = b->dims[k];
  p->to_row = b->to[k];
  p->rows = b->dims[last];
  p->from_row = b->from[last];
  remove_dim(b, last);
  remove_dim(b, k);
  set_outer(p);
  const int64_t bytes = p->outer_n * p->rows * p->n * (int64_t)p->size;
  p->stream = bytes > STREAM_BYTES;
  const int64_t strips = (p->n + STRIP - 1) / STRIP;
  tfc_parallel_for(ctx, p->outer_n * strips, 10 + 0.1 * (double)(bytes / (p->outer_n * strips)),
                   transpose_strips, p);
}

static int64_t magnitude(int64_t x) {
  return x < 0 ? -x : x;
}

/* After the innermost dimension was removed. False: its lines are not short, or they are few. */
static bool copy_short(tfc_context* ctx, copy_plan* p, bool whole) {
  tfc_box* b = &p->box;
  const int last = b->rank - 1;
  const int64_t bytes = p->n * (int64_t)p->size;
  if (last < 0 || b->dims[last] < TILE) return false;
  if (whole ? bytes > SHORT_BYTES : p->n >= SHORT_ELEMENTS) return false;
  p->columns = b->dims[last];
  p->to_column = b->to[last];
  p->from_column = b->from[last];
  p->rows = 1;
  const bool turned = whole && last > 0 && b->dims[last - 1] >= TILE &&
                      magnitude(b->from[last - 1]) < magnitude(p->from_column);
  if (turned) {
    p->rows = b->dims[last - 1];
    p->to_row = b->to[last - 1];
    p->from_row = b->from[last - 1];
    remove_dim(b, last - 1);
  }
  remove_dim(b, b->rank - 1);
  set_outer(p);
  const int64_t parts = whole ? pieces_of(p->rows, ROWS) : pieces_of(p->columns, COLUMNS);
  const double line = 1 + 0.1 * (double)bytes, lines = (double)(p->columns * p->rows);
  tfc_parallel_for(ctx, p->outer_n * parts, 10 + lines * line / (double)parts,
                   whole ? copy_tiles : copy_columns, p);
  return true;
}

static void copy_plain(tfc_context* ctx, copy_plan* p) {
  tfc_box* b = &p->box;
  const int last = b->rank - 1;
  p->n = b->dims[last];
  p->to_step = b->to[last];
  p->from_step = b->from[last];
  b->rank--;
  if (copy_short(ctx, p, p->to_step == 1 && p->from_step == 1)) return;
  set_outer(p);
  const int64_t bytes = p->n * (int64_t)p->size;
  const int64_t pieces = (bytes + PIECE - 1) / PIECE;
  const bool whole = p->to_step == 1 && p->from_step == 1;
  if (whole && p->outer_n == 1)
    tfc_parallel_for(ctx, pieces, 0.1 * PIECE, copy_pieces, p);
  else if (p->outer_n == 1 && p->to_step == 1 && p->from_step == 0)
    tfc_parallel_for(ctx, pieces, 0.06 * PIECE, fill_pieces, p);
  else if (whole)
    tfc_parallel_for(ctx, p->outer_n, 3 + 0.1 * (double)bytes, copy_rows, p);
  else
    tfc_parallel_for(ctx, p->outer_n, 5 + 0.5 * (double)p->n, copy_lines, p);
}

static int copy_strings(tfc_context* ctx, tfc_tensor* to, int64_t to_first, const tfc_tensor* from,
                        int64_t from_first, const tfc_box* box) {
  copy_plan p = {.size = 1, .box = *box};
  set_outer(&p);
  walk w;
  walk_start(&p, 0, &w);
  for (int64_t i = 0; i < p.outer_n; i++) {
    const tfc_string* s = (const tfc_string*)from->data + from_first + w.from;
    const int rc = tfc_string_set(ctx, to, to_first + w.to, s->data, s->size);
    if (rc != TFC_OK) return rc;
    walk_next(&p, &w);
  }
  return TFC_OK;
}

int tfc_copy_box(tfc_context* ctx, tfc_tensor* to, int64_t to_first, const tfc_tensor* from,
                 int64_t from_first, const tfc_box* box) {
  for (int i = 0; i < box->rank; i++)
    if (box->dims[i] == 0) return TFC_OK;
  if (from->dtype % TFC_REF == TFC_STRING)
    return copy_strings(ctx, to, to_first, from, from_first, box);
  copy_plan p;
  p.size = tfc_dtype_size(from->dtype);
  p.to = (char*)to->data + to_first * (int64_t)p.size;
  p.from = (const char*)from->data + from_first * (int64_t)p.size;
  tfc_simplify_box(box, &p.box);
  tfc_widen_box(&p.box, &p.size, 16);
  if (p.box.rank == 0) {
    memcpy(p.to, p.from, p.size);
    return TFC_OK;
  }
  const int k = p.box.to[p.box.rank - 1] == 1 ? source_inner(&p.box) : -1;
  if (k >= 0 && p.box.from[p.box.rank - 1] > 1)
    copy_transposed(ctx, &p, k);
  else
    copy_plain(ctx, &p);
  return TFC_OK;
}

int tfc_fill_element(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  const tfc_box box = {.rank = 1, .dims = {to->n}, .to = {1}, .from = {0}};
  return tfc_copy_box(ctx, to, 0, from, 0, &box);
}

int tfc_fill_value(tfc_context* ctx, tfc_tensor* to, const void* element) {
  const tfc_tensor one = {.data = (void*)element, .n = 1, .dtype = to->dtype};
  return tfc_fill_element(ctx, to, &one);
}

int tfc_copy_tensor(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  const tfc_box box = {.rank = 1, .dims = {to->n}, .to = {1}, .from = {1}};
  return tfc_copy_box(ctx, to, 0, from, 0, &box);
}

static void zero_pieces(void* arg, int64_t begin, int64_t end) {
  const tfc_tensor* t = arg;
  const int64_t bytes = t->n * (int64_t)tfc_dtype_size(t->dtype);
  const int64_t first = begin * PIECE, last = end * PIECE < bytes ? end * PIECE : bytes;
  memset((char*)t->data + first, 0, (size_t)(last - first));
}

int tfc_fill_zero(tfc_context* ctx, tfc_tensor* to) {
  /* A new string tensor is empty strings already. */
  if (to->n == 0 || to->dtype % TFC_REF == TFC_STRING) return TFC_OK;
  const int64_t bytes = to->n * (int64_t)tfc_dtype_size(to->dtype);
  if (bytes <= PIECE)
    memset(to->data, 0, (size_t)bytes);
  else
    tfc_parallel_for(ctx, (bytes + PIECE - 1) / PIECE, 0.06 * PIECE, zero_pieces, to);
  return TFC_OK;
}
