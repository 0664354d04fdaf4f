/* Tensors in transit between tasks: how they are described, packed, handed over and rebuilt. */
#ifndef TFCORE_PAYLOAD_H
#define TFCORE_PAYLOAD_H

#include "fabric/endpoint.h"

enum {
  TFC_INLINE = 8192,       /* payloads up to this size travel inside the message */
  TFC_MESSAGE_HEADER = 56, /* bytes of a record before the description of the payload */
  TFC_PAYLOAD_HEADER = 88  /* with it, before the sizes of the dimensions */
};

/* An outgoing payload. */
typedef struct tfc_load {
  const void* data; /* inline: m->bytes bytes */
  void* owned;      /* malloc'd, freed when the message is written */
  tfc_tensor held;  /* by reference: the tensor; owns a reference */
} tfc_load;

/* Describes the payload in *m, and in *out what has to be sent. Returns a tfc_code. */
int tfc_load_payload(tfc_message* m, const tfc_tensor* t, const tfc_peer* to, tfc_load* out);
void tfc_unload(tfc_load* load);
size_t tfc_header_bytes(const tfc_message* m);
/* Reads the header of a record; false: malformed. */
bool tfc_read_header(const void* record, size_t record_bytes, size_t arena_bytes, tfc_message* m);
/* Makes the tensor of a message from its m->bytes bytes of data. */
bool tfc_make_payload(const tfc_message* m, const void* data, tfc_tensor* out);
/* Called before and after every use of a peer's arena; false: it has been unmapped. Once the peer
 * has ended, its last reader has it unmapped, by another thread if that can be started: this
 * mapping may keep the memory of a large process. */
bool tfc_read_arena(tfc_peer* p);
void tfc_leave_arena(tfc_peer* p);
/* Makes a tensor in the peer's arena; when it is freed, it is released to the peer. */
bool tfc_borrow_payload(tfc_peer* from, const tfc_message* m, tfc_tensor* out);
bool tfc_unpack_strings(const tfc_message* m, const void* data, tfc_tensor* out);

#endif
