/* Adapts the fabric to the transport: makes records of messages, and messages of what arrives. */
#define _GNU_SOURCE
#include "fabric/link.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PATIENCE = 10 /* times that of a silence, while the network is at work */ };

_Static_assert(TFC_TRANSPORT_MAX_RECORD >= TFC_PAYLOAD_HEADER + TFC_INLINE + TFC_MAX_RANK * 8,
               "the largest record of the fabric");

static tfc_transport* transport; /* atomic; NULL: no tasks on other hosts */
static tfc_tcp* tcp;             /* atomic; NULL: this process does not listen */
static int64_t users_inside;     /* atomic: threads between acquire and release */

/* Until `release`, tfc_link_close does not free the transport. */
static tfc_transport* acquire(void) {
  __atomic_fetch_add(&users_inside, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&transport, __ATOMIC_SEQ_CST);
}

static void release(void) {
  __atomic_fetch_sub(&users_inside, 1, __ATOMIC_SEQ_CST);
}

/* ---- What the transport asks. It knows only bytes, and keeps a record between its three
 * questions: `parse_record` checks the header, and `allocate` and `deliver` read it again, which
 * costs less than to keep it. */

static void note_sign_of_life(int from) {
  tfc_peer* p = tfc_peer_of(from);
  if (p) __atomic_store_n(&p->heartbeat, tfc_now_monotonic(), __ATOMIC_RELAXED);
}

static const char* parse_record(int from, const void* record, size_t bytes,
                                tfc_payload_info* payload) {
  tfc_message m;
  if (bytes < TFC_MESSAGE_HEADER || !tfc_read_header(record, bytes, INT64_MAX, &m))
    return "its header";
  if (m.source != from) return "its source";
  payload->bytes = m.dtype && m.offset >= 0 ? m.bytes : 0;
  payload->may_be_overtaken = m.kind == TFC_MSG_TENSOR;
  payload->comes_last =
      m.kind == TFC_MSG_LEAVE || (m.kind == TFC_MSG_FAILED && m.edge == (uint64_t)from);
  note_sign_of_life(from);
  return NULL;
}

/* A process that has left closes its connections afterwards, which is not a failure. Others may
 * still work with a peer that has sent malformed data to this task only: this task tells them. */
static void peer_failed(int peer, uint32_t incarnation, const char* reason, bool at_fault) {
  tfc_peer* p = tfc_peer_of(peer);
  if (!p || (incarnation && p->incarnation != incarnation)) return;
  if (tfc_peer_state_of(p) != TFC_PEER_ALIVE) return;
  if (at_fault) {
    tfc_tensor text = {.dtype = TFC_UINT8};
    int64_t n = (int64_t)strlen(reason);
    bool told = tfc_tensor_new(&text, 1, &n);
    if (told) memcpy(text.data, reason, (size_t)n);
    for (int i = 0; i < tfc_here.size; i++) {
      tfc_message m = {.kind = TFC_MSG_FAILED, .edge = (uint64_t)peer, .frame = p->incarnation};
      if (i != peer && i != tfc_here.rank) tfc_send(i, &m, told ? &text : NULL);
    }
    tfc_tensor_clear(&text);
  }
  tfc_fail_incarnation(peer, p->incarnation, reason);
}

static bool allocate(int from, const void* record, size_t record_bytes, int64_t bytes,
                     tfc_tensor* out) {
  tfc_message m;
  bool knows = tfc_read_header(record, record_bytes, INT64_MAX, &m) && m.source == from;
  if (knows && tfc_place_payload(&m, out)) return true;
  *out = (tfc_tensor){.dtype = TFC_UINT8};
  return tfc_tensor_new(out, 1, &bytes);
}

/* Where the payload's bytes are; NULL: there was no memory for them. */
static const char* payload_data(const tfc_message* m, const void* record,
                                const tfc_tensor* payload) {
  if (m->offset < 0) return (const char*)record + tfc_header_bytes(m);
  return payload ? payload->data : NULL;
}

/* Makes the tensor of a message; false: there is no memory for it. */
static bool make_tensor(const tfc_message* m, const void* record, tfc_tensor* payload,
                        tfc_tensor* out) {
  if (!m->dtype) return true;
  const char* data = payload_data(m, record, payload);
  if (!data) return false;
  if (m->offset < 0 || m->dtype == TFC_STRING) return tfc_make_payload(m, data, out);
  *out = *payload;
  out->dtype = m->dtype;
  out->rank = m->rank;
  out->n = m->bytes / (int64_t)tfc_dtype_size(m->dtype);
  memcpy(out->dims, m->dims, sizeof out->dims);
  payload->buffer = NULL;
  return true;
}

/* Whether packed strings are as long as they say: tfc_unpack_strings does not tell malformed
 * data from lack of memory. */
static bool strings_fit(const tfc_message* m, const char* data) {
  int64_t n = 1;
  for (int i = 0; i < m->rank; i++) n *= m->dims[i];
  uint64_t left = (uint64_t)m->bytes - (uint64_t)n * sizeof left, size;
  for (int64_t i = 0; i < n; i++, left -= size) {
    memcpy(&size, data + (size_t)i * sizeof size, sizeof size);
    if (size > left) return false;
  }
  return true;
}

static const char* deliver(int from, const void* record, size_t bytes, tfc_tensor* payload) {
  tfc_message m;
  tfc_tensor t = {.dtype = 0};
  tfc_peer* p = tfc_peer_of(from);
  if (!p || !tfc_running()) return NULL;
  if (!tfc_read_header(record, bytes, INT64_MAX, &m)) return "its header";
  tfc_count_message(&p->received, tfc_traffic_bytes(&m));
  const char* data = payload_data(&m, record, payload);
  if (m.dtype == TFC_STRING && data && !strings_fit(&m, data)) return "its strings";
  if (!tfc_accepts(p, &m)) return NULL;
  if (!make_tensor(&m, record, payload, &t)) {
    t = (tfc_tensor){.dtype = 0};
    m.dtype = 0;
    m.flags |= TFC_MSG_LOST;
  }
  tfc_handle(p, &m, &t);
  return NULL;
}

/* ---- What the fabric asks */

const char* tfc_link_listen(uint16_t* port) {
  const char* why = NULL;
  tfc_tcp* opened = tcp ? tcp : tfc_tcp_open(&why);
  __atomic_store_n(&tcp, opened, __ATOMIC_RELEASE);
  if (opened) *port = tfc_tcp_port(opened);
  return why;
}

const char* tfc_link_open(const tfc_mpi* mpi, const tfc_doorbell* doorbell, int64_t chunk_bytes) {
  tfc_transport_callbacks user = {
      .now = tfc_now_monotonic,
      .parse = parse_record,
      .allocate = allocate,
      .deliver = deliver,
      .peer_failed = peer_failed,
      .ring_doorbell = doorbell->ring,
      .doorbell_works = doorbell->works,
      .doorbell = doorbell->doorbell,
  };
  tfc_transport_options options = {tfc_here.rank, tfc_here.size, tfc_here.incarnation, chunk_bytes,
                                   tfc_here.token};
  tfc_mpi over_tcp;
  if (tcp &&
      !tfc_tcp_start(tcp, tfc_here.rank, tfc_here.size, tfc_here.incarnation, tfc_here.token))
    return "out of memory";
  if (tcp) over_tcp = tfc_tcp_table(tcp);
  tfc_transport* t = tfc_transport_open(mpi, tcp ? &over_tcp : NULL, &user, &options);
  __atomic_store_n(&transport, t, __ATOMIC_RELEASE);
  return t ? NULL : "out of memory";
}

bool tfc_link_send(int peer, const tfc_message* m, tfc_load* load) {
  char header[sizeof(tfc_message)];
  size_t bytes = tfc_header_bytes(m), inlined = load->data ? (size_t)m->bytes : 0;
  uint32_t size = (uint32_t)(bytes + inlined);
  memcpy(header, m, bytes);
  memcpy(header, &size, sizeof size); /* its first field */
  bool has_payload = load->held.dtype;
  tfc_transport* t = acquire();
  bool ok =
      t && tfc_transport_enqueue(t, peer, header, bytes, load->data, inlined,
                                 has_payload ? &load->held : NULL, has_payload ? m->bytes : 0);
  release();
  if (!ok) return false;
  tfc_peer* p = tfc_peer_of(peer);
  if (p) {
    __atomic_fetch_add(&p->sent.messages, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->sent.bytes, (int64_t)size + (has_payload ? m->bytes : 0),
                       __ATOMIC_RELAXED);
  }
  tfc_flush_foreign();
  return true;
}

void tfc_link_queued(int peer, int64_t* messages, int64_t* bytes) {
  tfc_transport* t = acquire();
  *messages = *bytes = 0;
  if (t) tfc_transport_queued(t, peer, messages, bytes);
  release();
}

void tfc_link_flush(void) {
  tfc_transport* t = acquire();
  if (t) tfc_transport_flush(t);
  release();
}

bool tfc_link_poll(bool* more) {
  tfc_transport* t = acquire();
  bool any = t && tfc_transport_poll(t, more);
  release();
  return any;
}

int64_t tfc_link_poll_interval(void) {
  if (!tfc_has_foreign()) return -1;
  tfc_transport* t = acquire();
  int64_t interval = t ? tfc_transport_poll_interval(t) : -1;
  release();
  return interval;
}

void tfc_link_doorbell_rang(void) {
  tfc_transport* t = acquire();
  if (t) tfc_transport_doorbell_rang(t);
  release();
  if (t && tfc_running()) tfc_ring_bell(tfc_here.inbox);
}

void tfc_link_disconnect(int peer) {
  tfc_transport* t = acquire();
  if (t) tfc_transport_disconnect(t, peer);
  release();
}

const char* tfc_link_admit(int peer, uint32_t incarnation, const tfc_tcp_address* address) {
  tfc_transport* t = acquire();
  const char* why = "the transport is closed";
  if (t) why = tfc_transport_admit(t, peer, incarnation, address);
  release();
  return why;
}

static void close_tcp(void) {
  tfc_tcp* old = __atomic_exchange_n(&tcp, NULL, __ATOMIC_ACQ_REL);
  if (old) tfc_tcp_close(old);
}

/* Nobody polls any more; threads that send may just be leaving. */
void tfc_link_close(int64_t patience_ns) {
  tfc_transport* t = __atomic_exchange_n(&transport, NULL, __ATOMIC_SEQ_CST);
  if (!t) {
    close_tcp();
    return;
  }
  while (__atomic_load_n(&users_inside, __ATOMIC_SEQ_CST)) usleep(50);
  tfc_transport_shutdown(t);
  int64_t began = tfc_now_monotonic(), last = began, now = began;
  while (!tfc_transport_is_shut_down(t) && now - last < patience_ns &&
         now - began < MOST_PATIENCE * patience_ns) {
    bool more = false;
    bool any = tfc_transport_poll(t, &more);
    now = tfc_now_monotonic();
    if (any) last = now;
    if (!any) usleep(50);
  }
  tfc_transport_close(t);
  close_tcp();
}

/* MPI and the connections are the parent's. */
void tfc_link_after_fork(void) {
  if (tcp) tfc_tcp_after_fork(tcp);
  tcp = NULL;
  transport = NULL;
  users_inside = 0;
}
