/* A product of matrices by one block at a time, for factors that are read through functions.
 *
 * A block computes a tile of up to 128 x 128; each of its threads multiplies 8 rows with 8 columns
 * in registers, so that a value from shared memory serves eight multiplications. Tiles of both
 * factors, 8 deep, lie in shared memory, twice: the next ones are fetched to registers while the
 * present ones are multiplied, and put beside them. */
#ifndef TFCORE_CUDA_GEMM_CUH
#define TFCORE_CUDA_GEMM_CUH

#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/linalg/gemm.h"

/* Four elements, which are moved by one instruction where they have at most 16 bytes. */
template <typename T>
struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) four {
  T x[4];
};
template <typename T>
__device__ __forceinline__ four<T> load_four(const void* from, int64_t i) {
  return *(const four<T>*)((const T*)from + i);
}
template <typename T, typename A>
__device__ __forceinline__ void store_four(void* to, int64_t i, const A (&from)[4]) {
  four<T> x;
#pragma unroll
  for (int j = 0; j < 4; j++) narrow((typename wide<T>::type)from[j], &x.x[j]);
  *(four<T>*)((T*)to + i) = x;
}

/* Which elements of a factor's tile a thread brings, four at a time. */
enum gemm_order {
  GEMM_DEPTHS,      /* four neighbours in depth; neighbouring threads go along the depth */
  GEMM_DEPTHS_FAST, /* the same, but neighbouring threads go along rows */
  GEMM_ROWS,        /* four neighbouring rows (columns, of the second factor) */
};

/* Where a block is: a tile of one product, a range of the depth. */
template <int SIDE>
struct gemm_place {
  int64_t batch, row, col, chunk, begin, end;

  __device__ __forceinline__ gemm_place(const gemm_size& s, int64_t block) {
    const int64_t cols = (s.n + SIDE - 1) / SIDE, rows = (s.m + SIDE - 1) / SIDE;
    const int64_t steps = (s.k + GEMM_DEPTH - 1) / GEMM_DEPTH;
    const int64_t depth = (steps + s.chunks - 1) / s.chunks * GEMM_DEPTH;
    col = block % cols * SIDE;
    block /= cols;
    row = block % rows * SIDE;
    block /= rows;
    batch = block % s.batch;
    chunk = block / s.batch;
    begin = chunk * depth;
    end = begin + depth < s.k ? begin + depth : s.k;
  }
};

/* A factor's tile in shared memory, [depth][row]. Every fourth line is moved on, so that threads
 * that write down columns meet different banks. */
template <int SIDE>
struct gemm_layout {
  static constexpr int GROUPS = GEMM_DEPTH / 4, SKEW = 32 / GROUPS;
  static constexpr int SIZE = GEMM_DEPTH * SIDE + GROUPS * SKEW;
  static __device__ __forceinline__ int line(int depth) { return depth * SIDE + depth / 4 * SKEW; }
};
/* For both factors, twice. */
template <typename A, int SIDE>
struct gemm_shared {
  alignas(16) A a[2][gemm_layout<SIDE>::SIZE], b[2][gemm_layout<SIDE>::SIZE];
};

/* What a thread does to bring a factor to shared memory: four elements of each tile.
 *
 * Factor: a struct with
 *
 *   - element: the type of its elements
 *
 *   - VECTORS: whether the four are read at once
 *
 *   - order(): a gemm_order; GEMM_ROWS only with VECTORS
 *
 *   - place, start(row, k): where an element is
 *
 *   - advance(place&, n): moves on by n in depth
 *
 *   - one(place), four_at(place): what is there; four neighbours in the order's direction */
template <typename A, typename Factor, int SIDE>
struct gemm_feed {
  typedef typename Factor::element element;
  const Factor& factor;
  int tile_row, tile_depth; /* of the first of the four */
  typename Factor::place place;
  int left; /* from there to the end of the depth; 0 past the last row */
  four<element> next;

  __device__ __forceinline__ gemm_feed(const Factor& f, int64_t first, int64_t rows, int64_t begin,
                                       int64_t end)
      : factor(f),
        tile_row(row_of(f.order(), (int)threadIdx.x)),
        tile_depth(depth_of(f.order(), (int)threadIdx.x)),
        place(f.start(first + tile_row, begin + tile_depth)),
        left(first + tile_row < rows ? (int)(end - begin) - tile_depth : 0) {}
  static __device__ __forceinline__ int row_of(gemm_order order, int thread) {
    if (order == GEMM_ROWS) return thread % (SIDE / 4) * 4;
    return order == GEMM_DEPTHS ? thread / (GEMM_DEPTH / 4) : thread % SIDE;
  }
  static __device__ __forceinline__ int depth_of(gemm_order order, int thread) {
    if (order == GEMM_ROWS) return thread / (SIDE / 4);
    return (order == GEMM_DEPTHS ? thread % (GEMM_DEPTH / 4) : thread / SIDE) * 4;
  }
  /* Fetches the next elements; 0 outside. */
  __device__ __forceinline__ void fetch() {
    next = four<element>();
    if (Factor::VECTORS) {
      if (left > 0) next = factor.four_at(place);
      factor.advance(place, GEMM_DEPTH);
    } else {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        if (left > j) next.x[j] = factor.one(place);
        factor.advance(place, 1);
      }
      factor.advance(place, GEMM_DEPTH - 4);
    }
    left -= GEMM_DEPTH;
  }
  __device__ __forceinline__ void put(A* tile) const {
    A* to = tile + gemm_layout<SIDE>::line(tile_depth) + tile_row;
    A values[4];
#pragma unroll
    for (int j = 0; j < 4; j++) values[j] = (A)widen(next.x[j]);
    if (factor.order() == GEMM_ROWS) {
      store_four<A>(to, 0, values);
    } else {
#pragma unroll
      for (int j = 0; j < 4; j++) to[j * SIDE] = values[j];
    }
  }
};

/* A thread's rows and columns in the tile: groups of four, which lie apart so that the threads of a
 * warp read neighbouring groups. In small tiles a thread has half as many columns. */
template <typename A, int SIDE>
struct gemm_thread {
  static constexpr int LANE_ROWS = 4, LANE_COLS = 8; /* of the threads of a warp */
  static constexpr int ROW_GROUPS = 2, COL_GROUPS = SIDE > 64 ? 2 : 1;
  static constexpr int WARP_ROWS = LANE_ROWS * ROW_GROUPS * 4;
  static constexpr int WARP_COLS = LANE_COLS * COL_GROUPS * 4;
  static constexpr int THREADS = SIDE * SIDE / (ROW_GROUPS * COL_GROUPS * 16);
  static constexpr int WARPS = SIDE / WARP_COLS; /* side by side */
  typedef A sums[ROW_GROUPS][4][COL_GROUPS][4];
  int row, col;

  __device__ __forceinline__ gemm_thread() {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    row = warp / WARPS * WARP_ROWS + lane / LANE_COLS * 4;
    col = warp % WARPS * WARP_COLS + lane % LANE_COLS * 4;
  }
  /* The first row or column of a group. */
  __device__ __forceinline__ int row_of(int group) const { return row + group * LANE_ROWS * 4; }
  __device__ __forceinline__ int col_of(int group) const { return col + group * LANE_COLS * 4; }
};

/* sums += the product of the tiles in shared memory, at this thread's rows and columns. */
template <typename A, int SIDE>
__device__ __forceinline__ void gemm_multiply(const A* tile_a, const A* tile_b,
                                              const gemm_thread<A, SIDE>& at,
                                              typename gemm_thread<A, SIDE>::sums& sums) {
  typedef gemm_thread<A, SIDE> thread;
  // Those of the next step are loaded while these are multiplied.
  four<A> a[2][thread::ROW_GROUPS], b[2][thread::COL_GROUPS];
#pragma unroll
  for (int d = -1; d < GEMM_DEPTH; d++) {
    if (d + 1 < GEMM_DEPTH) {
      const int next = (d + 1) % 2, line = gemm_layout<SIDE>::line(d + 1);
#pragma unroll
      for (int g = 0; g < thread::ROW_GROUPS; g++)
        a[next][g] = load_four<A>(tile_a, line + at.row_of(g));
#pragma unroll
      for (int g = 0; g < thread::COL_GROUPS; g++)
        b[next][g] = load_four<A>(tile_b, line + at.col_of(g));
    }
    if (d < 0) continue;
#pragma unroll
    for (int i = 0; i < thread::ROW_GROUPS * 4; i++)
#pragma unroll
      for (int k = 0; k < thread::COL_GROUPS * 4; k++) {
        // To and fro: the factor at the end of a row is used twice in a row.
        const int j = i % 2 ? thread::COL_GROUPS * 4 - 1 - k : k;
        sums[i / 4][i % 4][j / 4][j % 4] += a[d % 2][i / 4].x[i % 4] * b[d % 2][j / 4].x[j % 4];
      }
  }
}

/* A product by tiles of SIDE x SIDE. A: the accumulator's type. Factors: see gemm_feed, and
 *   void move_to(batch)   before elements of this matrix are read
 * Result: a struct with
 *   VECTORS                                           whether `four` can be written
 *   void four(chunk, batch, row, col, A (&sums)[4])   neighbouring columns
 *   void one(chunk, batch, row, col, sum) */
template <typename A, int SIDE, typename RowFactor, typename ColFactor, typename Result>
__device__ __forceinline__ void gemm(const gemm_size& size, RowFactor a, ColFactor b,
                                     const Result& result, gemm_shared<A, SIDE>& shared) {
  typedef gemm_thread<A, SIDE> threads;
  static_assert(threads::THREADS == SIDE * GEMM_DEPTH / 4, "each brings four elements");
  const threads thread;
  const int64_t blocks =
      (size.m + SIDE - 1) / SIDE * ((size.n + SIDE - 1) / SIDE) * size.batch * size.chunks;
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const gemm_place<SIDE> at(size, block);
    typename threads::sums sums = {};
    if (at.begin < at.end) {
      a.move_to(at.batch);
      b.move_to(at.batch);
      gemm_feed<A, RowFactor, SIDE> feed_a(a, at.row, size.m, at.begin, at.end);
      gemm_feed<A, ColFactor, SIDE> feed_b(b, at.col, size.n, at.begin, at.end);
      feed_a.fetch();
      feed_b.fetch();
      int half = 0;
      feed_a.put(shared.a[0]);
      feed_b.put(shared.b[0]);
      __syncthreads();
      for (int64_t k = at.begin; k < at.end; k += GEMM_DEPTH) {
        const bool more = k + GEMM_DEPTH < at.end;
        if (more) {
          feed_a.fetch();
          feed_b.fetch();
        }
        gemm_multiply(shared.a[half], shared.b[half], thread, sums);
        half ^= 1;
        if (more) {
          feed_a.put(shared.a[half]);
          feed_b.put(shared.b[half]);
        }
        __syncthreads(); /* the next tiles are there */
      }
    }
#pragma unroll
    for (int i = 0; i < threads::ROW_GROUPS * 4; i++)
#pragma unroll
      for (int g = 0; g < threads::COL_GROUPS; g++) {
        const int64_t row = at.row + thread.row_of(i / 4) + i % 4, col = at.col + thread.col_of(g);
        const A(&four)[4] = sums[i / 4][i % 4][g];
        if (row >= size.m) continue;
        if (Result::VECTORS) {
          if (col < size.n) result.four(at.chunk, at.batch, row, col, four);
        } else {
#pragma unroll
          for (int j = 0; j < 4; j++)
            if (col + j < size.n) result.one(at.chunk, at.batch, row, col + j, four[j]);
        }
      }
  }
}

#endif /* TFCORE_CUDA_GEMM_CUH */
