/* Slices: specifications, boxes, messages, and the keys of their data. */
#include "kernels_c/checkpoint/format/slice.h"

#include <stdlib.h>

TFC_ONE_LEVEL;

/* ---- Specifications */

/* A decimal number that takes all of the text. */
static bool parse_number(const char* text, size_t size, int64_t* value) {
  char digits[24], *end;
  if (size == 0 || size >= sizeof digits || text[0] == ' ' || text[0] == '+') return false;
  memcpy(digits, text, size);
  digits[size] = '\0';
  *value = strtoll(digits, &end, 10);
  return *end == '\0';
}

static size_t until(const char* text, size_t size, char mark) {
  const char* at = size ? memchr(text, mark, size) : NULL;
  return at ? (size_t)(at - text) : size;
}

static int parse_extents(const char* text, size_t size, ckpt_slice* slice, ckpt_status* status) {
  slice->rank = 0;
  for (size_t at = 0; at <= size && size;) {
    size_t n = until(text + at, size - at, ':'), comma = until(text + at, n, ',');
    int64_t start = 0, length = -1;
    bool whole = n == 1 && text[at] == '-';
    if (!whole && (comma == n || !parse_number(text + at, comma, &start) ||
                   !parse_number(text + at + comma + 1, n - comma - 1, &length)))
      return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                       "Expected a pair of numbers or '-' but got '%.*s': string = %.*s", (int)n,
                       text + at, (int)size, text);
    if (!whole && (start < 0 || length <= 0))
      return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                       "Expected non-negative start and positive length but got start = %lld, "
                       "length = %lld: string = %.*s",
                       (long long)start, (long long)length, (int)size, text);
    if (slice->rank == TFC_MAX_RANK)
      return ckpt_fail(status, TFC_INVALID_ARGUMENT, "A slice of more than %d dimensions: %.*s",
                       TFC_MAX_RANK, (int)size, text);
    slice->start[slice->rank] = start;
    slice->length[slice->rank++] = length;
    at += n + 1;
  }
  return TFC_OK;
}

int ckpt_parse_slice(const char* text, size_t size, int64_t* dims, ckpt_slice* slice,
                     ckpt_status* status) {
  size_t last = size;
  while (last > 0 && text[last - 1] != ' ') last--;
  int shown = (int)TFC_MIN(size, 400);
  if (last == 0)
    return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                     "Need least two elements in shape_and_slice specification: %.*s", shown, text);
  *slice = (ckpt_slice){0};
  TFC_TRY(parse_extents(text + last, TFC_MIN(size - last, 800), slice, status));
  int rank = 0;
  for (size_t at = 0; at < last;) {
    size_t n = until(text + at, last - at, ' ');
    if (rank == TFC_MAX_RANK || !parse_number(text + at, n, &dims[rank]) || dims[rank] < 0)
      return ckpt_fail(status, TFC_INVALID_ARGUMENT,
                       "Non numerical dimension in shape_and_slice: %.*s", shown, text);
    rank++;
    at += n + 1;
  }
  ckpt_box box;
  return ckpt_slice_box(slice, rank, dims, &box, status);
}

/* ---- Boxes */

bool ckpt_slice_is_whole(const ckpt_slice* s) {
  for (int d = 0; d < s->rank; d++)
    if (s->length[d] >= 0) return false;
  return true;
}

int ckpt_slice_box(const ckpt_slice* s, int rank, const int64_t* dims, ckpt_box* box,
                   ckpt_status* status) {
  if (s->rank != rank)
    return ckpt_fail(status, TFC_INTERNAL, "Mismatching ranks: shape = %s, slice has %d dimensions",
                     tfc_dims_text(rank, dims).text, s->rank);
  box->rank = rank;
  for (int d = 0; d < rank; d++) {
    bool whole = s->length[d] < 0;
    box->start[d] = whole ? 0 : s->start[d];
    box->dims[d] = whole ? dims[d] : s->length[d];
    if (box->start[d] < 0 || box->start[d] > dims[d] || box->dims[d] > dims[d] - box->start[d])
      return ckpt_fail(status, TFC_INTERNAL,
                       "Extent in dimension %d out of bounds: shape = %s, extent = %lld,%lld", d,
                       tfc_dims_text(rank, dims).text, (long long)box->start[d],
                       (long long)box->dims[d]);
  }
  return TFC_OK;
}

ckpt_box ckpt_whole_box(int rank, const int64_t* dims) {
  ckpt_box box = {.rank = rank};
  for (int d = 0; d < rank; d++) box.dims[d] = dims[d];
  return box;
}

int64_t ckpt_box_count(const ckpt_box* box) {
  return tfc_count(box->rank, box->dims);
}

bool ckpt_intersect(const ckpt_box* a, const ckpt_box* b, ckpt_box* common) {
  common->rank = a->rank;
  for (int d = 0; d < a->rank; d++) {
    int64_t begin = TFC_MAX(a->start[d], b->start[d]);
    int64_t end = TFC_MIN(a->start[d] + a->dims[d], b->start[d] + b->dims[d]);
    if (begin >= end) return false;
    common->start[d] = begin;
    common->dims[d] = end - begin;
  }
  return true;
}

/* ---- Messages */

static void add_message(text_buffer* b, int field, text_buffer* message) {
  wire_add_bytes(b, field, text_c(message), message->size);
  b->failed |= message->failed;
  text_free(message);
}

void ckpt_add_slice(text_buffer* b, int field, const ckpt_slice* s) {
  text_buffer extents = {0};
  for (int d = 0; d < s->rank; d++) {
    text_buffer extent = {0};
    if (s->length[d] >= 0) {
      wire_add_int(&extent, 1, s->start[d]);
      wire_add_tag(&extent, 2, WIRE_VARINT); /* even 0, as its presence marks a partial extent */
      wire_add_varint(&extent, (uint64_t)s->length[d]);
    }
    add_message(&extents, 1, &extent);
  }
  add_message(b, field, &extents);
}

bool ckpt_read_slice(wire_reader r, ckpt_slice* s) {
  wire_field f, part;
  int more;
  *s = (ckpt_slice){0};
  while ((more = wire_next(&r, &f)) > 0) {
    if (f.number != 1) continue;
    if (f.type != WIRE_BYTES || s->rank == TFC_MAX_RANK) return false;
    int64_t start = 0, length = -1;
    while ((more = wire_next(&f.bytes, &part)) > 0) {
      if (part.number <= 2 && part.type != WIRE_VARINT) return false;
      if (part.number == 1) start = (int64_t)part.value;
      if (part.number == 2) length = (int64_t)part.value;
    }
    if (more < 0 || start < 0 || length < -1) return false;
    s->start[s->rank] = start;
    s->length[s->rank++] = length;
  }
  return more == 0;
}

void ckpt_add_shape(text_buffer* b, int field, int rank, const int64_t* dims) {
  text_buffer shape = {0};
  for (int d = 0; d < rank; d++) {
    text_buffer dim = {0};
    wire_add_int(&dim, 1, dims[d]);
    add_message(&shape, 2, &dim);
  }
  add_message(b, field, &shape);
}

bool ckpt_read_shape(wire_reader r, int* rank, int64_t* dims) {
  wire_field f, part;
  int more;
  *rank = 0;
  while ((more = wire_next(&r, &f)) > 0) {
    if (f.number == 3 && f.type == WIRE_VARINT && f.value) return false; /* unknown rank */
    if (f.number != 2) continue;
    if (f.type != WIRE_BYTES || *rank == TFC_MAX_RANK) return false;
    int64_t size = 0;
    while ((more = wire_next(&f.bytes, &part)) > 0) {
      if (part.number != 1) continue;
      if (part.type != WIRE_VARINT) return false;
      size = (int64_t)part.value;
    }
    if (more < 0 || size < 0) return false;
    dims[(*rank)++] = size;
  }
  return more == 0 && tfc_count(*rank, dims) >= 0;
}

/* ---- Keys, whose bytes sort as what they encode */

static void add_number(text_buffer* b, uint64_t value) {
  char bytes[9];
  int n = 0;
  for (uint64_t rest = value; rest; rest >>= 8) n++;
  bytes[0] = (char)n;
  for (int i = 0; i < n; i++) bytes[1 + i] = (char)(value >> 8 * (n - 1 - i));
  text_append(b, bytes, (size_t)n + 1);
}

static void add_escaped(text_buffer* b, const char* text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char byte = text[i];
    text_append(b, &byte, 1);
    if (byte == '\0') text_append(b, "\xff", 1);
    if (byte == '\xff') text_append(b, "", 1);
  }
  text_append(b, "\0\1", 2);
}

/* Big-endian, in as few bytes as hold the sign and the number of bytes, which the first bits tell:
 * L bytes begin with L ones for numbers from 0 on, with L zeros for negative ones. */
static void add_signed(text_buffer* b, int64_t value) {
  uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);
  int size = 1;
  while (size < 10 && magnitude >> TFC_MIN(7 * size - 1, 63)) size++;
  uint8_t bytes[10];
  uint64_t rest = (uint64_t)value;
  uint8_t sign = value < 0 ? 255 : 0;
  for (int i = size - 1; i >= 0; i--) {
    int from_end = size - 1 - i;
    bytes[i] = from_end < 8 ? (uint8_t)(rest >> 8 * from_end) : sign;
  }
  for (int bit = 0; bit < size; bit++) bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
  text_append(b, (const char*)bytes, (size_t)size);
}

void ckpt_add_slice_key(text_buffer* b, const char* name, size_t size, const ckpt_slice* s) {
  add_number(b, 0);
  add_escaped(b, name, size);
  add_number(b, (uint64_t)s->rank);
  for (int d = 0; d < s->rank; d++) {
    add_signed(b, s->length[d] < 0 ? 0 : s->start[d]);
    add_signed(b, s->length[d] < 0 ? -1 : s->length[d]);
  }
}
