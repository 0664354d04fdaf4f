/* Writes and reads the messages of detectors. */
#include "membership/detector_wire.h"

#include <endian.h>
#include <string.h>

enum { HEAD = 56, EMPTY = 0, LIST = 1, BITMAP = 2 };

static size_t set_room(int size) {
  return 5 + ((size_t)size + 63) / 64 * 8;
}

size_t tfc_detector_message_room(int size) {
  return HEAD + 12 + TFC_REASON_BYTES + 2 * set_room(size);
}

static uint8_t* put32(uint8_t* at, uint32_t x) {
  x = htole32(x);
  memcpy(at, &x, sizeof x);
  return at + sizeof x;
}

static uint8_t* put64(uint8_t* at, uint64_t x) {
  return put32(put32(at, (uint32_t)x), (uint32_t)(x >> 32));
}

/* A list of ranks, or a bit for each place, whichever is shorter. */
static uint8_t* put_set(uint8_t* at, const tfc_rank_set* s) {
  size_t n_words = ((size_t)s->size + 63) / 64;
  bool list = (size_t)s->n * 4 <= n_words * 8;
  *at++ = !s->n ? EMPTY : list ? LIST : BITMAP;
  if (!s->n) return at;
  at = put32(at, list ? (uint32_t)s->n : (uint32_t)n_words);
  if (!list)
    for (size_t i = 0; i < n_words; i++) at = put64(at, s->bits[i]);
  if (list)
    for (int r = tfc_rank_set_next(s, 0); r >= 0; r = tfc_rank_set_next(s, r + 1))
      at = put32(at, (uint32_t)r);
  return at;
}

size_t tfc_detector_write(const tfc_detector_message* m, uint8_t* out) {
  uint8_t* at = out;
  *at++ = m->kind;
  *at++ = m->flags;
  at = put32(put32(at, m->from), m->number);
  at = put64(at, m->digest);
  if (m->kind == TFC_FACTS) {
    size_t length = strlen(m->text);
    at = put32(put32(put32(at, m->fact_number), m->event), (uint32_t)length);
    memcpy(at, m->text, length);
    at = put_set(at + length, &m->ranks);
  } else {
    at = put32(put32(put64(at, m->term), m->root), m->wave);
    at = put32(put32(at, m->count), m->silence_ms);
    if (m->kind == TFC_WAVE) at = put32(at, m->confirmed);
    if (m->kind == TFC_ANSWER) at = put_set(at, &m->ranks);
    at = put_set(at, &m->condemned);
  }
  return (size_t)(at - out);
}

typedef struct reader {
  const uint8_t* at;
  size_t left;
  bool ok;
} reader;

static uint32_t get32(reader* r) {
  uint32_t x = 0;
  if (r->left < sizeof x) r->ok = false;
  if (!r->ok) return 0;
  memcpy(&x, r->at, sizeof x);
  r->at += sizeof x;
  r->left -= sizeof x;
  return le32toh(x);
}

static uint64_t get64(reader* r) {
  uint64_t low = get32(r);
  return low | (uint64_t)get32(r) << 32;
}

static uint8_t get8(reader* r) {
  if (r->left < 1) r->ok = false;
  if (!r->ok) return 0;
  r->left--;
  return *r->at++;
}

static void get_set(reader* r, tfc_rank_set* s) {
  uint8_t form = get8(r);
  uint32_t n = form == EMPTY ? 0 : get32(r);
  size_t n_words = ((size_t)s->size + 63) / 64;
  if (form > BITMAP || (form == LIST && n > (uint32_t)s->size)) r->ok = false;
  if (form == BITMAP && n != n_words) r->ok = false;
  for (uint32_t i = 0; r->ok && i < n; i++) {
    uint64_t x = form == LIST ? get32(r) : get64(r);
    if (form == LIST) {
      r->ok &= x < (uint64_t)s->size && tfc_rank_set_add(s, (int)x);
      continue;
    }
    for (; r->ok && x; x &= x - 1) {
      int rank = (int)i * 64 + __builtin_ctzll(x);
      r->ok &= rank < s->size && tfc_rank_set_add(s, rank);
    }
  }
}

bool tfc_detector_read(tfc_detector_message* m, const uint8_t* data, size_t bytes) {
  reader r = {data, bytes, true};
  m->kind = get8(&r);
  m->flags = get8(&r);
  m->from = get32(&r);
  m->number = get32(&r);
  m->digest = get64(&r);
  if (m->kind == TFC_FACTS) {
    m->fact_number = get32(&r);
    m->event = get32(&r);
    uint32_t length = get32(&r);
    if (length > TFC_REASON_BYTES || length > r.left) r.ok = false;
    if (!r.ok) return false;
    memcpy(m->text, r.at, length);
    m->text[length] = 0;
    r.at += length;
    r.left -= length;
    get_set(&r, &m->ranks);
  } else if (m->kind == TFC_WAVE || m->kind == TFC_ANSWER) {
    m->term = get64(&r);
    m->root = get32(&r);
    m->wave = get32(&r);
    m->count = get32(&r);
    m->silence_ms = get32(&r);
    if (m->kind == TFC_WAVE) m->confirmed = get32(&r);
    if (m->kind == TFC_ANSWER) get_set(&r, &m->ranks);
    get_set(&r, &m->condemned);
  } else {
    return false;
  }
  return r.ok && !r.left;
}
