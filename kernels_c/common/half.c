/* Converts arrays of half and bfloat16 to and from float, for families that compute in float. A
 * separate file, because the header of the conversion instructions takes longer to compile than
 * most families. */
#include "kernels_c/common/common.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

TFC_ALL_DEVICES;

static void halves_to_floats(const tfc_half* from, float* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(from + i))));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(from + i))));
#endif
  for (; i < n; i++) to[i] = tfc_half_to_float(from[i]);
}
static void floats_to_halves(const float* from, tfc_half* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((__m256i*)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i*)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#endif
  for (; i < n; i++) to[i] = tfc_float_to_half(from[i]);
}

void tfc_widen(int32_t dtype, const void* from, float* to, int64_t n) {
  const tfc_bfloat16* b = from;
  if (dtype == TFC_HALF)
    halves_to_floats(from, to, n);
  else
    for (int64_t i = 0; i < n; i++) to[i] = tfc_bfloat16_to_float(b[i]);
}

void tfc_narrow(int32_t dtype, const float* from, void* to, int64_t n) {
  tfc_bfloat16* b = to;
  if (dtype == TFC_HALF)
    floats_to_halves(from, to, n);
  else
    for (int64_t i = 0; i < n; i++) b[i] = tfc_float_to_bfloat16(from[i]);
}
