/* Encodings of Unicode: code points from and to bytes. */
#ifndef TFCORE_STRINGS_ENCODING_H
#define TFCORE_STRINGS_ENCODING_H

#include "kernels_c/strings/element.h"

/* Those without an order of bytes look for a mark at the beginning. */
typedef enum {
  ASCII,
  LATIN_1,
  UTF_8,
  UTF_16_BE,
  UTF_16_LE,
  UTF_16,
  UTF_32_BE,
  UTF_32_LE,
  UTF_32,
  N_ENCODINGS
} encoding;

/* A walk over the code points of a string. */
typedef struct code_points {
  encoding encoding;
  const uint8_t *begin, *at, *end;
  int32_t code; /* the last one */
  int64_t start;
  bool bad; /* bytes that stand for no code point */
} code_points;

/* What to do with bytes that stand for no code point. */
typedef struct on_bad {
  bool strict, ignore, control; /* control: the first 32 code points are bad, too */
  int32_t replacement;
} on_bad;

#pragma GCC visibility push(hidden)
/* The encoding that an attribute names. */
int encoding_attr(tfc_construction* c, const char* name, encoding* e);
/* The attributes errors, replacement_char and, if there is one, replace_control_characters. */
int on_bad_attrs(tfc_construction* c, bool has_control, on_bad* bad);
code_points code_points_of(encoding e, const tfc_string* s);
/* Moves to the next code point; false: there is none. */
bool next_code_point(code_points* p);
void append_code_point(text_buffer* to, encoding e, int32_t code);
#pragma GCC visibility pop

static inline bool is_code_point(int32_t code) {
  return code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

#endif
