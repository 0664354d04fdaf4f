/* The map of a table. See lookup.h. */
#include "kernels_c/state/lookup.h"

TFC_ONE_LEVEL;

enum { FIRST_ROOM = 16 };

static size_t bytes_of(const lookup_column* c) {
  return (size_t)c->width * tfc_dtype_size(c->dtype);
}

static char* row(const lookup_column* c, int64_t i) {
  return (char*)c->data + (size_t)i * bytes_of(c);
}

/* ---- Rows, whose elements may be strings. */

static uint64_t mix(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}

static uint64_t hash_bytes(uint64_t h, const char* data, size_t size) {
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, data, 8);
    h = mix(h, word);
  }
  uint64_t rest = size;
  for (size_t i = 0; i < size; i++) rest |= (uint64_t)(unsigned char)data[i] << (8 * (i + 1));
  return mix(h, rest);
}

static uint64_t hash_row(const lookup_column* c, const char* from) {
  if (c->dtype != TFC_STRING) return hash_bytes(0, from, bytes_of(c));
  uint64_t h = 0;
  for (int64_t k = 0; k < c->width; k++)
    h = hash_bytes(h, ((const tfc_string*)from)[k].data, ((const tfc_string*)from)[k].size);
  return h;
}

static bool rows_equal(const lookup_column* c, const char* a, const char* b) {
  if (c->dtype != TFC_STRING) return memcmp(a, b, bytes_of(c)) == 0;
  for (int64_t k = 0; k < c->width; k++) {
    const tfc_string *x = (const tfc_string*)a + k, *y = (const tfc_string*)b + k;
    if (x->size != y->size || (x->size && memcmp(x->data, y->data, x->size) != 0)) return false;
  }
  return true;
}

static void free_row(const lookup_column* c, char* at) {
  if (c->dtype != TFC_STRING) return;
  for (int64_t k = 0; k < c->width; k++) free(((tfc_string*)at)[k].data);
}

/* False: no memory, and *at holds nothing. */
static bool copy_row(const lookup_column* c, char* at, const char* from) {
  if (c->dtype != TFC_STRING) {
    memcpy(at, from, bytes_of(c));
    return true;
  }
  for (int64_t k = 0; k < c->width; k++) {
    const tfc_string s = ((const tfc_string*)from)[k];
    tfc_string* to = (tfc_string*)at + k;
    *to = (tfc_string){s.size ? malloc(s.size) : NULL, s.size};
    if (s.size && !to->data) {
      while (k-- > 0) free(((tfc_string*)at)[k].data);
      return false;
    }
    if (s.size) memcpy(to->data, s.data, s.size);
  }
  return true;
}

/* ---- Slots. */

/* The slot of a key, or the free one where it belongs; there are free ones. */
static int64_t slot_of(const lookup_map* m, const char* key) {
  const int64_t mask = m->n_slots - 1;
  int64_t slot = (int64_t)hash_row(&m->keys, key) & mask;
  while (m->slots[slot] && !rows_equal(&m->keys, key, row(&m->keys, m->slots[slot] - 1)))
    slot = (slot + 1) & mask;
  return slot;
}

/* Memory for `room` rows; one that is larger than that will do. */
static bool resize(lookup_column* c, int64_t room, bool grows) {
  void* moved = realloc(c->data, (size_t)room * bytes_of(c) + 1);
  if (moved) c->data = moved;
  return moved || !grows;
}

static bool set_room(lookup_map* m, int64_t room) {
  const bool grows = room > m->room;
  int64_t* slots = calloc((size_t)(2 * room), sizeof *slots);
  if (!slots || !resize(&m->keys, room, grows) || !resize(&m->values, room, grows)) {
    free(slots);
    return false;
  }
  free(m->slots);
  m->slots = slots;
  m->n_slots = 2 * room;
  m->room = room;
  for (int64_t i = 0; i < m->n; i++) m->slots[slot_of(m, row(&m->keys, i))] = i + 1;
  return true;
}

/* Frees a slot: those after it that it had pushed on move up. */
static void free_slot(lookup_map* m, int64_t slot) {
  const int64_t mask = m->n_slots - 1;
  int64_t hole = slot;
  for (int64_t at = (hole + 1) & mask; m->slots[at]; at = (at + 1) & mask) {
    const int64_t home = (int64_t)hash_row(&m->keys, row(&m->keys, m->slots[at] - 1)) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    m->slots[hole] = m->slots[at];
    hole = at;
  }
  m->slots[hole] = 0;
}

/* ---- The map. */

void lookup_map_begin(lookup_map* m, int32_t key_dtype, int64_t key_width, int32_t value_dtype,
                      int64_t value_width) {
  *m = (lookup_map){.keys = {key_dtype, key_width, NULL},
                    .values = {value_dtype, value_width, NULL}};
}

void lookup_map_clear(lookup_map* m) {
  for (int64_t i = 0; i < m->n; i++) {
    free_row(&m->keys, row(&m->keys, i));
    free_row(&m->values, row(&m->values, i));
  }
  free(m->keys.data);
  free(m->values.data);
  free(m->slots);
  lookup_map_begin(m, m->keys.dtype, m->keys.width, m->values.dtype, m->values.width);
}

int64_t lookup_map_find(const lookup_map* m, const void* keys, int64_t i) {
  if (!m->n) return -1;
  return m->slots[slot_of(m, (const char*)keys + (size_t)i * bytes_of(&m->keys))] - 1;
}

bool lookup_map_has_value(const lookup_map* m, int64_t entry, const void* values, int64_t j) {
  return rows_equal(&m->values, row(&m->values, entry),
                    (const char*)values + (size_t)j * bytes_of(&m->values));
}

static bool replace(lookup_map* m, int64_t entry, const char* value) {
  if (m->values.dtype != TFC_STRING) return copy_row(&m->values, row(&m->values, entry), value);
  char* made = malloc(bytes_of(&m->values) + 1);
  if (!made || !copy_row(&m->values, made, value)) {
    free(made);
    return false;
  }
  free_row(&m->values, row(&m->values, entry));
  memcpy(row(&m->values, entry), made, bytes_of(&m->values));
  free(made);
  return true;
}

bool lookup_map_put(lookup_map* m, const void* keys, int64_t i, const void* values, int64_t j) {
  const char* key = (const char*)keys + (size_t)i * bytes_of(&m->keys);
  const char* value = (const char*)values + (size_t)j * bytes_of(&m->values);
  const int64_t entry = lookup_map_find(m, keys, i);
  if (entry >= 0) return replace(m, entry, value);
  if (m->n == m->room && !set_room(m, m->room ? 2 * m->room : FIRST_ROOM)) return false;
  if (!copy_row(&m->keys, row(&m->keys, m->n), key)) return false;
  if (!copy_row(&m->values, row(&m->values, m->n), value)) {
    free_row(&m->keys, row(&m->keys, m->n));
    return false;
  }
  /* By the copy: the user may change fed keys meanwhile. */
  const int64_t slot = slot_of(m, row(&m->keys, m->n));
  m->slots[slot] = ++m->n;
  return true;
}

void lookup_map_remove(lookup_map* m, int64_t entry) {
  const int64_t last = m->n - 1;
  free_slot(m, slot_of(m, row(&m->keys, entry)));
  free_row(&m->keys, row(&m->keys, entry));
  free_row(&m->values, row(&m->values, entry));
  if (entry != last) {
    m->slots[slot_of(m, row(&m->keys, last))] = entry + 1;
    memcpy(row(&m->keys, entry), row(&m->keys, last), bytes_of(&m->keys));
    memcpy(row(&m->values, entry), row(&m->values, last), bytes_of(&m->values));
  }
  m->n = last;
  if (m->room > FIRST_ROOM && m->n < m->room / 4) (void)set_room(m, m->room / 2);
}
