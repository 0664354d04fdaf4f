/* Messages to peers on other hosts wait in a queue that the link empties; what the link receives is
 * delivered here. */
#define _GNU_SOURCE
#include "link.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_outgoing *first, *last; /* under lock */
static uint32_t filled;            /* atomic, a futex: the queue is not empty, or look */

bool tfc_link_put(int peer, const tfc_message* m, tfc_load* load) {
  size_t header = tfc_header_bytes(m), inlined = load->data ? (size_t)m->bytes : 0;
  tfc_outgoing* o = malloc(sizeof *o + header + inlined);
  if (!o) return false;
  o->next = NULL;
  o->peer = peer;
  o->header_bytes = header + inlined;
  o->payload = load->held;
  load->held.buffer = NULL;
  memcpy(o->header, m, header);
  uint32_t size = (uint32_t)o->header_bytes;
  memcpy(o->header, &size, sizeof size);
  if (inlined) memcpy(o->header + header, load->data, inlined);
  pthread_mutex_lock(&lock);
  *(first ? &last->next : &first) = o;
  last = o;
  pthread_mutex_unlock(&lock);
  if (!__atomic_exchange_n(&filled, 1, __ATOMIC_SEQ_CST)) tfc_futex_wake(&filled, 1);
  return true;
}

tfc_outgoing* tfc_link_take(void) {
  /* Cleared before the queue is emptied: messages put later set it again. */
  __atomic_exchange_n(&filled, 0, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock);
  tfc_outgoing* all = first;
  first = NULL;
  pthread_mutex_unlock(&lock);
  return all;
}

bool tfc_link_wait(int64_t ns) {
  if (!__atomic_load_n(&filled, __ATOMIC_ACQUIRE)) tfc_futex_wait(&filled, 0, ns);
  return __atomic_load_n(&filled, __ATOMIC_ACQUIRE);
}

/* The child must not send the parent's messages. */
void tfc_link_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  first = last = NULL;
}

void tfc_link_wake(void) {
  __atomic_exchange_n(&filled, 1, __ATOMIC_SEQ_CST);
  tfc_futex_wake(&filled, 1 << 20);
}

const char* tfc_link_deliver(const void* header, size_t bytes, tfc_tensor* payload) {
  tfc_message m;
  tfc_tensor t = {.dtype = 0};
  if (bytes < TFC_MESSAGE_HEADER || !tfc_read_header(header, bytes, INT64_MAX, &m))
    return "the message is malformed";
  tfc_peer* from = tfc_peer_of(m.source);
  if (!from || m.source == tfc_here.rank) return "the message comes from no peer";
  if (m.dtype && m.offset >= 0 && payload && payload->n != m.bytes)
    return "the payload has the wrong size";
  __atomic_store_n(&from->heartbeat, tfc_now_monotonic(), __ATOMIC_RELAXED);
  bool ok = true;
  if (m.dtype && m.offset < 0) {
    ok = tfc_make_payload(&m, (const char*)header + tfc_header_bytes(&m), &t);
  } else if (m.dtype && !payload) {
    ok = false;
  } else if (m.dtype == TFC_STRING) {
    ok = tfc_unpack_strings(&m, payload->data, &t);
  } else if (m.dtype) {
    t = *payload;
    t.dtype = m.dtype;
    t.rank = m.rank;
    t.n = m.bytes / (int64_t)tfc_dtype_size(m.dtype);
    memcpy(t.dims, m.dims, sizeof t.dims);
    payload->buffer = NULL;
  }
  if (!ok) {
    t = (tfc_tensor){.dtype = 0};
    m.dtype = 0;
    m.flags |= TFC_MSG_LOST;
  }
  tfc_lock_polling();
  if (tfc_running()) {
    tfc_handle(from, &m, &t);
  } else {
    tfc_tensor_clear(&t);
  }
  tfc_unlock_polling();
  return NULL;
}
