/* Mailboxes: each queues the messages of one kind until Python code takes them. */
#ifndef TFCORE_MAILBOX_H
#define TFCORE_MAILBOX_H

#include "fabric/endpoint.h"

typedef struct tfc_mail {
  struct tfc_mail* next;
  tfc_message message;
  tfc_tensor payload;
} tfc_mail;

typedef struct tfc_mailbox {
  pthread_mutex_t lock;
  tfc_mail *first, *last; /* under lock */
  uint32_t filled;        /* for tfc_wait_word: set if there is or was a message */
  bool is_open;
} tfc_mailbox;

tfc_mailbox* tfc_mailbox_open(int kind);
tfc_mail* tfc_mailbox_take(tfc_mailbox* box); /* NULL: it is empty */
void tfc_mailboxes_after_fork(void);          /* in the child */

#endif
