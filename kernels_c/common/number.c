/* Numbers in text. */
#define _GNU_SOURCE
#include "kernels_c/common/number.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

TFC_ONE_LEVEL;

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static void trim(const char** text, size_t* size) {
  while (*size && is_space(**text)) ++*text, --*size;
  while (*size && is_space((*text)[*size - 1])) --*size;
}

bool number_int64(const char* text, size_t size, int64_t* value) {
  trim(&text, &size);
  const bool negative = size && *text == '-';
  if (size && (*text == '-' || *text == '+')) text++, size--;
  int64_t sum = 0; /* negative, as there is one more of these */
  for (size_t i = 0; i < size; i++) {
    const int digit = text[i] - '0';
    if (digit < 0 || digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
        __builtin_sub_overflow(sum, digit, &sum))
      return false;
  }
  if (size == 0 || (!negative && sum == INT64_MIN)) return false;
  *value = negative ? sum : -sum;
  return true;
}

bool number_uint64(const char* text, size_t size, uint64_t* value) {
  trim(&text, &size);
  if (size && *text == '+') text++, size--;
  uint64_t sum = 0;
  for (size_t i = 0; i < size; i++) {
    const int digit = text[i] - '0';
    if (digit < 0 || digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
        __builtin_add_overflow(sum, (uint64_t)digit, &sum))
      return false;
  }
  *value = sum;
  return size > 0;
}

/* Decimal digits with a point and an exponent, such that the value is exactly digits * 10^exponent
 * and both factors are doubles: one rounding gives the nearest double. */
static bool read_exactly(const char* text, size_t size, double* value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = text, *end = text + size;
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  uint64_t digits = 0;
  int count = 0, exponent = 0;
  const char* first = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++) digits = digits * 10 + (uint64_t)(*at - '0');
  count = (int)(at - first);
  if (at < end && *at == '.') {
    first = ++at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) digits = digits * 10 + (uint64_t)(*at - '0');
    exponent = (int)(first - at);
    count -= exponent;
  }
  if (count == 0 || at - text > 18 || digits > 1ull << 53) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    int64_t power;
    if (end - at > 5 || end - at < 2 || is_space(at[1]) ||
        !number_int64(at + 1, (size_t)(end - at - 1), &power))
      return false;
    exponent += (int)power;
    at = end;
  }
  if (at < end || exponent < -22 || exponent > 22) return false;
  const double sum = (double)digits;
  const double found = exponent < 0 ? sum / powers[-exponent] : sum * powers[exponent];
  *value = negative ? -found : found;
  return true;
}

/* Numbers don't depend on the locale of the process. */
static locale_t plain;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void) {
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* A NUL-terminated copy, for strtod. */
typedef struct copy {
  char small[64];
  char* text;
} copy;

static bool copy_make(copy* c, const char* text, size_t size) {
  pthread_once(&prepared, prepare);
  c->text = size < sizeof c->small ? c->small : malloc(size + 1);
  if (!c->text || !plain) {
    if (c->text != c->small) free(c->text);
    return false;
  }
  memcpy(c->text, text, size);
  c->text[size] = '\0';
  return true;
}
static void copy_free(copy* c) {
  if (c->text != c->small) free(c->text);
}

bool number_double(const char* text, size_t size, double* value) {
  trim(&text, &size);
  if (read_exactly(text, size, value)) return true;
  copy c;
  char* end;
  if (size == 0 || !copy_make(&c, text, size)) return false;
  *value = strtod_l(c.text, &end, plain);
  const bool whole = end == c.text + size;
  copy_free(&c);
  return whole;
}

/* The nearest double rounds to the nearest float, unless it lies in the middle of two floats, where
 * what was lost before decides. */
bool number_float(const char* text, size_t size, float* value) {
  double wide;
  trim(&text, &size);
  if (read_exactly(text, size, &wide)) {
    uint64_t bits;
    memcpy(&bits, &wide, 8);
    const bool normal = wide == 0 || (__builtin_fabs(wide) > 1e-30 && __builtin_fabs(wide) < 1e30);
    if (normal && (bits & 0x1fffffff) != 0x10000000) {
      *value = (float)wide;
      return true;
    }
  }
  copy c;
  char* end;
  if (size == 0 || !copy_make(&c, text, size)) return false;
  *value = strtof_l(c.text, &end, plain);
  const bool whole = end == c.text + size;
  copy_free(&c);
  return whole;
}
