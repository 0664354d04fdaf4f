/* Text that grows, and tensors as TensorFlow prints them in messages. */
#ifndef TFCORE_TEXT_H
#define TFCORE_TEXT_H

#include <stdlib.h>

#include "kernels_c/common/common.h"

typedef struct text_buffer {
  char* data;
  size_t size, room;
  bool failed; /* out of memory: further text is dropped */
} text_buffer;

static inline void text_append(text_buffer* b, const char* data, size_t size) {
  if (b->size + size + 1 > b->room && !b->failed) {
    size_t room = (b->size + size + 1) * 2;
    char* grown = realloc(b->data, room);
    b->failed = grown == NULL;
    if (grown) b->data = grown, b->room = room;
  }
  if (b->failed) return;
  memcpy(b->data + b->size, data, size);
  b->size += size;
  b->data[b->size] = '\0';
}
static inline void text_add(text_buffer* b, const char* s) {
  text_append(b, s, strlen(s));
}
static inline const char* text_c(const text_buffer* b) {
  return b->data ? b->data : "";
}
static inline void text_free(text_buffer* b) {
  free(b->data);
}

/* The shortest of two precisions that reads back as the same number: 6 or 9 digits. */
static inline void text_add_float(text_buffer* b, float x) {
  char s[40];
  snprintf(s, sizeof s, "%.6g", (double)x);
  if (x == x && strtof(s, NULL) != x) snprintf(s, sizeof s, "%.9g", (double)x);
  text_add(b, x != x ? "nan" : s);
}
static inline void text_add_double(text_buffer* b, double x) {
  char s[40];
  snprintf(s, sizeof s, "%.15g", x);
  if (x == x && strtod(s, NULL) != x) snprintf(s, sizeof s, "%.17g", x);
  text_add(b, x != x ? "nan" : s);
}

/* Bytes with C escapes, so that a message stays one line of printable characters. */
static inline void text_add_escaped(text_buffer* b, const char* data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)data[i];
    char s[8];
    switch (c) {
      case '\n': snprintf(s, sizeof s, "\\n"); break;
      case '\r': snprintf(s, sizeof s, "\\r"); break;
      case '\t': snprintf(s, sizeof s, "\\t"); break;
      case '"':
      case '\'':
      case '\\': snprintf(s, sizeof s, "\\%c", c); break;
      default: snprintf(s, sizeof s, c < 32 || c >= 127 ? "\\%03o" : "%c", c);
    }
    text_add(b, s);
  }
}

static inline void text_add_element(text_buffer* b, const tfc_tensor* t, int64_t i) {
  char s[32];
  switch (t->dtype) {
    case TFC_FLOAT: text_add_float(b, ((const float*)t->data)[i]); return;
    case TFC_DOUBLE: text_add_double(b, ((const double*)t->data)[i]); return;
    case TFC_HALF: text_add_float(b, tfc_half_to_float(((const tfc_half*)t->data)[i])); return;
    case TFC_BFLOAT16:
      text_add_float(b, tfc_bfloat16_to_float(((const tfc_bfloat16*)t->data)[i]));
      return;
    case TFC_COMPLEX64:
    case TFC_COMPLEX128: {
      const float* f = (const float*)t->data + 2 * i;
      const double* d = (const double*)t->data + 2 * i;
      for (int part = 0; part < 2; part++) {
        text_add(b, part ? "," : "(");
        if (t->dtype == TFC_COMPLEX64)
          text_add_float(b, f[part]);
        else
          text_add_double(b, d[part]);
      }
      text_add(b, ")");
      return;
    }
    case TFC_STRING: {
      const tfc_string* string = (const tfc_string*)t->data + i;
      text_add_escaped(b, string->data, string->size);
      return;
    }
    case TFC_BOOL: text_add(b, ((const uint8_t*)t->data)[i] ? "1" : "0"); return;
    case TFC_UINT64:
      snprintf(s, sizeof s, "%llu", (unsigned long long)((const uint64_t*)t->data)[i]);
      text_add(b, s);
      return;
    default: break;
  }
  long long value = 0;
  TFC_SWITCH_INTEGERS(tfc_plain_type(t->dtype), value = (long long)((const T*)t->data)[i])
  snprintf(s, sizeof s, "%lld", value);
  text_add(b, s);
}

/* Dimensions from `dim` on; *next is the next element. Rows are in brackets, "..." replaces
 * elements beyond the limit. */
static inline void text_add_dimension(text_buffer* b, const tfc_tensor* t, int dim, int64_t limit,
                                      int64_t* next) {
  if (*next >= limit) return;
  bool last = dim == t->rank - 1;
  for (int64_t i = 0; i < t->dims[dim]; i++) {
    if (last && *next >= limit) {
      if (dim != 0) text_add(b, "...");
      return;
    }
    if (last) {
      if (i > 0) text_add(b, " ");
      text_add_element(b, t, (*next)++);
    } else if (*next < limit) {
      text_add(b, "[");
      text_add_dimension(b, t, dim + 1, limit, next);
      text_add(b, "]");
    }
  }
}

/* The first `most` elements (all if negative), without brackets around the whole. */
static inline void text_add_tensor(text_buffer* b, const tfc_tensor* t, int64_t most) {
  int64_t limit = most < 0 || most > t->n ? t->n : most, next = 0;
  if (t->rank > 0)
    text_add_dimension(b, t, 0, limit, &next);
  else if (limit > 0)
    text_add_element(b, t, 0);
  if (t->n > limit) text_add(b, "...");
}

#endif /* TFCORE_TEXT_H */
