// What the threads of a block do together: barriers, shuffles, votes, atomic functions.
#ifndef TFCORE_HOST_THREADS_CUH
#define TFCORE_HOST_THREADS_CUH

#include "device.h"
#include "half.cuh"
#include "math.cuh"

// The caller's place, for messages and for telling barriers from each other.
#define TFC_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

// ---- barriers

static inline void __syncthreads(TFC_HERE) {
  tfc_host_barrier(0, "__syncthreads", file, line);
}
static inline int __syncthreads_count(int predicate, TFC_HERE) {
  return tfc_host_barrier(predicate, "__syncthreads_count", file, line);
}
static inline int __syncthreads_or(int predicate, TFC_HERE) {
  return tfc_host_barrier(predicate, "__syncthreads_or", file, line) != 0;
}
static inline int __syncthreads_and(int predicate, TFC_HERE) {
  return tfc_host_barrier(predicate == 0, "__syncthreads_and", file, line) == 0;
}

// Memory is always up to date here. The checks take nothing as ordered by a fence: see check.c.
static inline void __threadfence_block() {
  __asm__ volatile("" ::: "memory");
}
static inline void __threadfence() {
  __asm__ volatile("" ::: "memory");
}
static inline void __threadfence_system() {
  __asm__ volatile("" ::: "memory");
}

// ---- operations of a warp

namespace tfc {

inline unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

template <int bytes>
struct word;
template <>
struct word<1> {
  typedef uint8_t type;
};
template <>
struct word<2> {
  typedef uint16_t type;
};
template <>
struct word<4> {
  typedef uint32_t type;
};
template <>
struct word<8> {
  typedef uint64_t type;
};

template <class T>
inline T shuffle(unsigned mask, T value, int source, const char* name, const char* file, int line) {
  typedef typename word<sizeof(T)>::type bits_type;
  const uint64_t result =
      tfc_host_exchange(TFC_EXCHANGE_VALUE, mask, bits<bits_type>(value), source, name, file, line);
  return bits<T>((bits_type)result);
}

}  // namespace tfc

static inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, TFC_HERE) {
  tfc_host_exchange(TFC_EXCHANGE_NOTHING, mask, 0, 0, "__syncwarp", file, line);
}

// `width` splits the warp into parts of that many lanes. A lane outside the part gives the caller's
// own value.
template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, TFC_HERE) {
  const int first = (int)tfc::lane() & ~(width - 1);
  return tfc::shuffle(mask, value, first + (source & (width - 1)), "__shfl_sync", file, line);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, TFC_HERE) {
  const int self = (int)tfc::lane(), place = self & (width - 1);
  return tfc::shuffle(mask, value, delta > (unsigned)place ? self : self - (int)delta,
                      "__shfl_up_sync", file, line);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, TFC_HERE) {
  const int self = (int)tfc::lane(), place = self & (width - 1);
  const bool outside = delta >= (unsigned)(width - place);
  return tfc::shuffle(mask, value, outside ? self : self + (int)delta, "__shfl_down_sync", file,
                      line);
}
template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = 32, TFC_HERE) {
  const int self = (int)tfc::lane(), source = self ^ other;
  // Later parts are out of reach, earlier ones are not.
  const bool outside = source > (self | (width - 1));
  return tfc::shuffle(mask, value, outside ? self : source, "__shfl_xor_sync", file, line);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, TFC_HERE) {
  return (unsigned)tfc_host_exchange(TFC_EXCHANGE_BALLOT, mask, predicate != 0, 0, "__ballot_sync",
                                     file, line);
}
static inline int __any_sync(unsigned mask, int predicate, TFC_HERE) {
  return tfc_host_exchange(TFC_EXCHANGE_BALLOT, mask, predicate != 0, 0, "__any_sync", file,
                           line) != 0;
}
static inline int __all_sync(unsigned mask, int predicate, TFC_HERE) {
  return tfc_host_exchange(TFC_EXCHANGE_BALLOT, mask, predicate == 0, 0, "__all_sync", file,
                           line) == 0;
}
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value, TFC_HERE) {
  typedef typename tfc::word<sizeof(T)>::type bits_type;
  return (unsigned)tfc_host_exchange(TFC_EXCHANGE_MATCH, mask, tfc::bits<bits_type>(value), 0,
                                     "__match_any_sync", file, line);
}

// CUDA promises no more than the caller itself.
static inline unsigned __activemask() {
  return 1u << tfc::lane();
}

// ---- atomic functions. Only one thread runs at a time: what is left to do is to tell the checks.

namespace tfc {

#if TFC_CHECKED
#define TFC_UNCHECKED __attribute__((noinline, no_sanitize("thread")))
#else
#define TFC_UNCHECKED inline
#endif
template <class T>
TFC_UNCHECKED T load(const T* p) {
  return *p;
}
template <class T>
TFC_UNCHECKED void store(T* p, T value) {
  *p = value;
}
#undef TFC_UNCHECKED

template <class T, class Operation>
inline __attribute__((always_inline)) T atomically(T* p, Operation operation) {
#if TFC_CHECKED
  tfc_host_atomic(p, sizeof(T));
#endif
  const T old = load(p);
  store(p, (T)operation(old));
  return old;
}

}  // namespace tfc

#define TFC_ATOMIC(name, type, expression)                                   \
  static inline type name(type* p, type value) {                             \
    return tfc::atomically(p, [=](type old) -> type { return expression; }); \
  }

#define TFC_ATOMIC_INTEGER(type)                         \
  TFC_ATOMIC(atomicExch, type, ((void)old, value))       \
  TFC_ATOMIC(atomicMin, type, value < old ? value : old) \
  TFC_ATOMIC(atomicMax, type, old < value ? value : old) \
  TFC_ATOMIC(atomicAnd, type, old& value)                \
  TFC_ATOMIC(atomicOr, type, old | value)                \
  TFC_ATOMIC(atomicXor, type, old ^ value)

TFC_ATOMIC_INTEGER(int)
TFC_ATOMIC_INTEGER(unsigned)
TFC_ATOMIC_INTEGER(unsigned long long)
TFC_ATOMIC(atomicMin, long long, value < old ? value : old)
TFC_ATOMIC(atomicMax, long long, old < value ? value : old)
TFC_ATOMIC(atomicExch, float, ((void)old, value))
TFC_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
TFC_ATOMIC(atomicAdd, unsigned, old + value)
TFC_ATOMIC(atomicAdd, unsigned long long, old + value)
TFC_ATOMIC(atomicAdd, float, old + value)
TFC_ATOMIC(atomicAdd, double, old + value)
TFC_ATOMIC(atomicAdd, __half, old + value)
TFC_ATOMIC(atomicAdd, __nv_bfloat16, old + value)
TFC_ATOMIC(atomicAdd, __half2, old + value)
TFC_ATOMIC(atomicAdd, __nv_bfloat162, old + value)
TFC_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
TFC_ATOMIC(atomicSub, unsigned, old - value)
TFC_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
TFC_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef TFC_ATOMIC_INTEGER
#undef TFC_ATOMIC

#define TFC_ATOMIC_CAS(type)                                                                   \
  static inline type atomicCAS(type* p, type compare, type value) {                            \
    return tfc::atomically(p, [=](type old) -> type { return old == compare ? value : old; }); \
  }
TFC_ATOMIC_CAS(int)
TFC_ATOMIC_CAS(unsigned)
TFC_ATOMIC_CAS(unsigned short)
TFC_ATOMIC_CAS(unsigned long long)
#undef TFC_ATOMIC_CAS

#undef TFC_HERE

#endif
