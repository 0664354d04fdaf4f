/* Values of features, and the index of keys. */
#include "kernels_c/parsing/features.h"

TFC_ONE_LEVEL;

int key_index_make(tfc_context* ctx, key_index* index, int n, const tfc_string* const* keys) {
  uint64_t size = 4;
  while (size < 2 * (uint64_t)n) size *= 2;
  int32_t* memory = tfc_scratch(ctx, (size + (uint64_t)n + 1) * sizeof *memory);
  if (!memory) return TFC_RESOURCE_EXHAUSTED;
  memset(memory, 0xff, (size + (uint64_t)n + 1) * sizeof *memory); /* -1 */
  *index = (key_index){keys, memory, size - 1, memory + size};
  for (int i = 0; i < n; i++) {
    const wire_reader key = wire_of(keys[i]->data, keys[i]->size);
    if (key_find(index, key) >= 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The key '%.*s' is asked for twice",
                       (int)TFC_MIN(keys[i]->size, 500), keys[i]->data ? keys[i]->data : "");
    uint64_t at = key_hash(key.at, keys[i]->size);
    while (index->slots[at & index->mask] >= 0) at++;
    index->slots[at & index->mask] = i;
  }
  return TFC_OK;
}

static int64_t read_floats(wire_reader list, float* to, int64_t room) {
  wire_field f;
  int64_t n = 0;
  int code;
  while ((code = wire_next(&list, &f)) > 0) {
    if (f.number != 1) continue;
    if (f.type == WIRE_BYTES) { /* packed */
      const int64_t size = (int64_t)wire_left(&f.bytes), here = size / 4;
      if (size % 4) return FEATURE_BROKEN;
      if (n < room) memcpy(to + n, f.bytes.at, (size_t)TFC_MIN(here, room - n) * 4);
      n += here;
    } else if (f.type == WIRE_FIXED32) {
      if (n < room) to[n] = tfc_float_from_bits((uint32_t)f.value);
      n++;
    } else {
      return FEATURE_BROKEN;
    }
  }
  return code ? FEATURE_BROKEN : n;
}

/* Each number ends with the only one of its bytes that is below 128. */
static int64_t count_packed(wire_reader packed) {
  int64_t n = 0;
  if (packed.at == packed.end) return 0;
  for (const uint8_t* at = packed.at; at < packed.end; at++) n += *at < 128;
  return packed.end[-1] < 128 ? n : FEATURE_BROKEN;
}

static int64_t read_packed(wire_reader packed, int64_t* to, int64_t room) {
  int64_t n = 0;
  for (; packed.at < packed.end && n < room; n++) {
    uint64_t value = *packed.at;
    if (value < 128)
      packed.at++;
    else if (!wire_varint(&packed, &value))
      return FEATURE_BROKEN;
    to[n] = (int64_t)value;
  }
  const int64_t rest = count_packed(packed);
  return rest < 0 ? rest : n + rest;
}

static int64_t read_ints(wire_reader list, int64_t* to, int64_t room) {
  wire_field f;
  int64_t n = 0;
  int code;
  while ((code = wire_next(&list, &f)) > 0) {
    if (f.number != 1) continue;
    if (f.type == WIRE_BYTES) {
      const bool fits = n < room;
      const int64_t here = read_packed(f.bytes, fits ? to + n : NULL, fits ? room - n : 0);
      if (here < 0) return here;
      n += here;
    } else if (f.type == WIRE_VARINT) {
      if (n < room) to[n] = (int64_t)f.value;
      n++;
    } else {
      return FEATURE_BROKEN;
    }
  }
  return code ? FEATURE_BROKEN : n;
}

static int64_t read_strings(tfc_context* ctx, wire_reader list, tfc_tensor* to, int64_t at,
                            int64_t room) {
  wire_field f;
  int64_t n = 0;
  int code;
  while ((code = wire_next(&list, &f)) > 0) {
    if (f.number != 1) continue;
    if (f.type != WIRE_BYTES) return FEATURE_BROKEN;
    if (n < room && tfc_string_set(ctx, to, at + n, (const char*)f.bytes.at, wire_left(&f.bytes)))
      return FEATURE_NO_MEMORY;
    n++;
  }
  return code ? FEATURE_BROKEN : n;
}

int64_t feature_read(tfc_context* ctx, int32_t type, wire_reader list, tfc_tensor* to, int64_t at,
                     int64_t room) {
  switch (type) {
    case TFC_STRING: return read_strings(ctx, list, to, at, room);
    case TFC_FLOAT: return read_floats(list, room ? (float*)to->data + at : NULL, room);
    default: return read_ints(list, room ? (int64_t*)to->data + at : NULL, room);
  }
}
