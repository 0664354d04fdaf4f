/* Mailboxes: each queues the messages of one kind until Python code takes them. */
#include "fabric/mailbox.h"

#include <stdlib.h>

#include "fabric/service.h"

static tfc_mailbox boxes[TFC_MSG_KINDS];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static void keep(const tfc_message* m, tfc_tensor* payload) {
  tfc_mailbox* box = &boxes[m->kind];
  tfc_mail* mail = malloc(sizeof *mail);
  if (!mail) { /* treat the sender as failed: a lost message must not go unnoticed */
    tfc_tensor_clear(payload);
    tfc_fail(m->source, "no memory for its messages");
    return;
  }
  *mail = (tfc_mail){.message = *m, .payload = *payload};
  pthread_mutex_lock(&box->lock);
  *(box->first ? &box->last->next : &box->first) = mail;
  box->last = mail;
  pthread_mutex_unlock(&box->lock);
  tfc_set_word(&box->filled);
}

tfc_mailbox* tfc_mailbox_open(int kind) {
  tfc_mailbox* box = &boxes[kind];
  pthread_mutex_lock(&opening);
  if (!box->is_open) pthread_mutex_init(&box->lock, NULL);
  box->is_open = true;
  pthread_mutex_unlock(&opening);
  tfc_on_message(kind, keep);
  return box;
}

tfc_mail* tfc_mailbox_take(tfc_mailbox* box) {
  pthread_mutex_lock(&box->lock);
  tfc_mail* mail = box->first;
  if (mail) {
    box->first = mail->next;
  } else {
    uint32_t set = TFC_SET; /* otherwise another thread already sleeps on it */
    __atomic_compare_exchange_n(&box->filled, &set, TFC_CLEAR, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&box->lock);
  return mail;
}

/* The child drops its copy of the parent's messages. */
void tfc_mailboxes_after_fork(void) {
  pthread_mutex_init(&opening, NULL);
  for (int kind = 0; kind < TFC_MSG_KINDS; kind++) {
    pthread_mutex_init(&boxes[kind].lock, NULL);
    boxes[kind].first = boxes[kind].last = NULL;
  }
}
