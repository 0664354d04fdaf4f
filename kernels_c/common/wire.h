/* The wire format of protocol buffers, for the few messages in checkpoints and summaries. */
#ifndef TFCORE_WIRE_H
#define TFCORE_WIRE_H

#include "kernels_c/common/text.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* ---- Writing. Numbers that are 0 are left out. */

static inline void wire_add_varint(text_buffer* b, uint64_t value) {
  char bytes[10];
  size_t n = 0;
  for (; value >= 128; value >>= 7) bytes[n++] = (char)(value | 128);
  bytes[n++] = (char)value;
  text_append(b, bytes, n);
}
static inline void wire_add_tag(text_buffer* b, int field, int type) {
  wire_add_varint(b, (uint64_t)field << 3 | (uint64_t)type);
}
static inline void wire_add_int(text_buffer* b, int field, int64_t value) {
  if (!value) return;
  wire_add_tag(b, field, WIRE_VARINT);
  wire_add_varint(b, (uint64_t)value);
}
static inline void wire_add_fixed32(text_buffer* b, int field, uint32_t value) {
  if (!value) return;
  wire_add_tag(b, field, WIRE_FIXED32);
  text_append(b, (const char*)&value, 4);
}
static inline void wire_add_bytes(text_buffer* b, int field, const void* data, size_t size) {
  wire_add_tag(b, field, WIRE_BYTES);
  wire_add_varint(b, size);
  text_append(b, data, size);
}

/* ---- Reading */

typedef struct wire_reader {
  const uint8_t *at, *end;
} wire_reader;

typedef struct wire_field {
  int number, type;
  uint64_t value;    /* of a number */
  wire_reader bytes; /* of WIRE_BYTES */
} wire_field;

static inline wire_reader wire_of(const void* data, size_t size) {
  const uint8_t* at = data;
  return (wire_reader){at, size ? at + size : at};
}
static inline size_t wire_left(const wire_reader* r) {
  return (size_t)(r->end - r->at);
}
static inline bool wire_varint(wire_reader* r, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    *value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}
static inline bool wire_take(wire_reader* r, void* to, size_t size) {
  if (wire_left(r) < size) return false;
  memcpy(to, r->at, size);
  r->at += size;
  return true;
}
/* 1: there is a field; 0: the message ends; -1: it is malformed. */
static inline int wire_next(wire_reader* r, wire_field* f) {
  uint64_t tag, size;
  *f = (wire_field){0};
  uint32_t word;
  if (r->at == r->end) return 0;
  if (!wire_varint(r, &tag) || tag >> 3 == 0 || tag >> 3 > INT32_MAX) return -1;
  f->number = (int)(tag >> 3);
  f->type = (int)(tag & 7);
  switch (f->type) {
    case WIRE_VARINT: return wire_varint(r, &f->value) ? 1 : -1;
    case WIRE_FIXED64: return wire_take(r, &f->value, 8) ? 1 : -1;
    case WIRE_FIXED32:
      if (!wire_take(r, &word, 4)) return -1;
      f->value = word;
      return 1;
    case WIRE_BYTES:
      if (!wire_varint(r, &size) || size > wire_left(r)) return -1;
      f->bytes = (wire_reader){r->at, r->at + size};
      r->at += size;
      return 1;
    default: return -1;
  }
}

#endif /* TFCORE_WIRE_H */
