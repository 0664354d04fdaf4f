/* Messages to and from tasks on other hosts, which a link (mpi_link.py) carries. */
#ifndef TFCORE_LINK_H
#define TFCORE_LINK_H

#include "payload.h"

typedef struct tfc_outgoing {
  struct tfc_outgoing* next;
  int peer;
  size_t header_bytes;
  tfc_tensor payload; /* dtype 0: none */
  char header[];
} tfc_outgoing;

bool tfc_link_put(int peer, const tfc_message* m, tfc_load* load);
tfc_outgoing* tfc_link_take(void); /* all messages, in order */
bool tfc_link_wait(int64_t ns);    /* false: nothing came */
void tfc_link_wake(void);
/* Returns NULL, or what is wrong with the message. Takes over `payload`, the data that followed the
 * header; NULL where there should be some: there was no memory for it. */
const char* tfc_link_deliver(const void* header, size_t bytes, tfc_tensor* payload);
void tfc_link_after_fork(void); /* in the child */

#endif
