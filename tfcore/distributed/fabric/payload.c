/* Tensors in transit: how they are described, packed, handed over and rebuilt. */
#include "fabric/payload.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabric/arena.h"

static void pack(const tfc_tensor* t, char* to) {
  const tfc_string* s = t->data;
  char* text = to + (size_t)t->n * sizeof(uint64_t);
  for (int64_t i = 0; i < t->n; i++) {
    uint64_t size = s[i].size;
    memcpy(to + (size_t)i * sizeof size, &size, sizeof size);
    if (size) memcpy(text, s[i].data, size);
    text += size;
  }
}

/* A block of `bytes` bytes that the peer can reach. */
static int fresh(size_t bytes, const tfc_peer* to, tfc_tensor* out) {
  out->dtype = TFC_UINT8;
  int64_t n = (int64_t)bytes;
  if (!tfc_tensor_new(out, 1, &n)) return TFC_RESOURCE_EXHAUSTED;
  if (to->foreign || tfc_arena_holds(out->data, bytes)) return TFC_OK;
  tfc_tensor_clear(out);
  return TFC_RESOURCE_EXHAUSTED;
}

static int load_strings(tfc_message* m, const tfc_tensor* t, const tfc_peer* to, tfc_load* out) {
  m->bytes = tfc_transit_bytes(t);
  if (m->bytes <= TFC_INLINE) {
    out->data = out->owned = malloc((size_t)m->bytes + 1);
    if (!out->owned) return TFC_RESOURCE_EXHAUSTED;
    pack(t, out->owned);
    return TFC_OK;
  }
  int code = fresh((size_t)m->bytes, to, &out->held);
  if (!code) pack(t, out->held.data);
  return code;
}

int tfc_load_payload(tfc_message* m, const tfc_tensor* t, const tfc_peer* to, tfc_load* out) {
  *out = (tfc_load){NULL, NULL, {.dtype = 0}};
  m->dtype = t ? t->dtype : 0;
  if (!m->dtype) return TFC_OK;
  size_t item = tfc_dtype_size(t->dtype);
  if (!item || t->dtype >= TFC_REF || t->rank < 0 || t->rank > TFC_MAX_RANK)
    return TFC_INVALID_ARGUMENT;
  m->rank = t->rank;
  memcpy(m->dims, t->dims, (size_t)t->rank * sizeof *m->dims);
  m->offset = -1;
  m->token = 0;
  int code = TFC_OK;
  if (t->dtype == TFC_STRING) {
    code = load_strings(m, t, to, out);
  } else {
    m->bytes = tfc_transit_bytes(t);
    if (m->bytes <= TFC_INLINE) {
      out->data = t->data;
    } else if (t->buffer && !(t->buffer->flags & TFC_BUFFER_BORROWED) &&
               (to->foreign || tfc_arena_holds(t->data, (size_t)m->bytes))) {
      out->held = *t;
      tfc_buffer_ref(t->buffer);
    } else {
      code = fresh((size_t)m->bytes, to, &out->held);
      if (!code) memcpy(out->held.data, t->data, (size_t)m->bytes);
    }
  }
  if (out->held.dtype && !code)
    m->offset = to->foreign ? 0 : (int64_t)tfc_arena_offset(out->held.data);
  return code;
}

void tfc_unload(tfc_load* load) {
  free(load->owned);
  load->owned = NULL;
  tfc_tensor_clear(&load->held);
}

_Static_assert(offsetof(tfc_message, bytes) == TFC_MESSAGE_HEADER, "records have no gaps");
_Static_assert(offsetof(tfc_message, dims) == TFC_PAYLOAD_HEADER, "records have no gaps");

size_t tfc_header_bytes(const tfc_message* m) {
  return m->dtype ? TFC_PAYLOAD_HEADER + (size_t)m->rank * sizeof *m->dims : TFC_MESSAGE_HEADER;
}

/* Whether the sizes of a message agree with each other. */
static bool is_sound(const tfc_message* m, size_t record_bytes, size_t arena_bytes) {
  size_t item = tfc_dtype_size(m->dtype);
  if (!item || m->dtype >= TFC_REF || m->bytes < 0) return false;
  int64_t n = 1, bytes;
  for (int i = 0; i < m->rank; i++)
    if (m->dims[i] < 0 || __builtin_mul_overflow(n, m->dims[i], &n)) return false;
  if (m->dtype == TFC_STRING) {
    if (n > m->bytes / (int64_t)sizeof(uint64_t)) return false;
  } else if (__builtin_mul_overflow(n, (int64_t)item, &bytes) || bytes != m->bytes) {
    return false;
  }
  if (m->offset < 0) return record_bytes == tfc_header_bytes(m) + (size_t)m->bytes;
  return (size_t)m->bytes <= arena_bytes && (size_t)m->offset <= arena_bytes - (size_t)m->bytes;
}

bool tfc_read_header(const void* record, size_t record_bytes, size_t arena_bytes, tfc_message* m) {
  memcpy(m, record, TFC_MESSAGE_HEADER);
  m->flags &= (uint16_t)~TFC_MSG_LOST; /* only this fabric may say so */
  m->dtype = 0;
  m->bytes = 0;
  if (m->size != record_bytes || !m->kind || m->kind >= TFC_MSG_KINDS) return false;
  if (record_bytes == TFC_MESSAGE_HEADER) return true;
  if (record_bytes < TFC_PAYLOAD_HEADER) return false;
  memcpy((char*)m + TFC_MESSAGE_HEADER, (const char*)record + TFC_MESSAGE_HEADER,
         TFC_PAYLOAD_HEADER - TFC_MESSAGE_HEADER); /* the checked part is not read again */
  if (m->rank < 0 || m->rank > TFC_MAX_RANK || record_bytes < tfc_header_bytes(m)) return false;
  memcpy(m->dims, (const char*)record + TFC_PAYLOAD_HEADER, (size_t)m->rank * sizeof *m->dims);
  return is_sound(m, record_bytes, arena_bytes);
}

bool tfc_unpack_strings(const tfc_message* m, const void* data, tfc_tensor* out) {
  out->dtype = TFC_STRING;
  if (!tfc_tensor_new(out, m->rank, m->dims)) return false;
  const char* text = (const char*)data + (size_t)out->n * sizeof(uint64_t);
  const char* end = (const char*)data + m->bytes;
  for (int64_t i = 0; i < out->n; i++) {
    uint64_t size;
    memcpy(&size, (const char*)data + (size_t)i * sizeof size, sizeof size);
    if (size > (uint64_t)(end - text) || tfc_string_assign(out, i, text, size)) {
      tfc_tensor_clear(out);
      return false;
    }
    text += size;
  }
  return true;
}

bool tfc_make_payload(const tfc_message* m, const void* data, tfc_tensor* out) {
  if (m->dtype == TFC_STRING) return tfc_unpack_strings(m, data, out);
  out->dtype = m->dtype;
  if (!tfc_tensor_new(out, m->rank, m->dims)) return false;
  if (m->bytes) memcpy(out->data, data, (size_t)m->bytes);
  return true;
}

/* ---- Memory of a peer */

bool tfc_read_arena(tfc_peer* p) {
  int64_t n = __atomic_load_n(&p->readers, __ATOMIC_RELAXED);
  while (n && !__atomic_compare_exchange_n(&p->readers, &n, n + 1, true, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED)) {
  }
  return n > 0;
}

typedef struct mapped {
  void* data;
  size_t bytes;
} mapped;

static void unmap(void* arg) {
  mapped* m = arg;
  munmap(m->data, m->bytes);
  free(m);
}

/* When a process has ended, the last one that unmaps its arena frees the memory. For a few
 * gigabytes that takes longer than a task may be silent, and this thread may have the polling lock.
 */
void tfc_leave_arena(tfc_peer* p) {
  if (__atomic_sub_fetch(&p->readers, 1, __ATOMIC_ACQ_REL) || !p->arena) return;
  mapped* m = tfc_running() ? malloc(sizeof *m) : NULL;
  if (m) *m = (mapped){(void*)p->arena, p->arena_bytes};
  if (m && tfc_spawn(unmap, m)) return;
  free(m);
  munmap((void*)p->arena, p->arena_bytes);
}

typedef struct borrowed {
  tfc_buffer buffer; /* must be first: the runtime sees only this */
  tfc_peer* from;
  uint64_t token;
} borrowed;

static void let_go(tfc_buffer* b) {
  borrowed* p = (borrowed*)b;
  tfc_send_release(p->from, p->token);
  tfc_leave_arena(p->from);
  free(p);
}

/* The caller's use of the arena (tfc_read_arena) passes to the tensor. */
bool tfc_borrow_payload(tfc_peer* from, const tfc_message* m, tfc_tensor* out) {
  borrowed* b = aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
  if (!b) return false;
  memset(b, 0, sizeof *b);
  b->buffer.refs = 1;
  b->buffer.release = let_go;
  b->buffer.size = (size_t)m->bytes;
  b->buffer.flags = TFC_BUFFER_BORROWED;
  b->from = from;
  b->token = m->token;
  out->data = (void*)(from->arena + m->offset);
  out->buffer = &b->buffer;
  out->dtype = m->dtype;
  out->rank = m->rank;
  out->n = m->bytes / (int64_t)tfc_dtype_size(m->dtype);
  memcpy(out->dims, m->dims, (size_t)m->rank * sizeof *m->dims);
  return true;
}
