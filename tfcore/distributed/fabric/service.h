/* Threads that wait: for messages, for a word that another thread sets, for the next heartbeat. */
#ifndef TFCORE_SERVICE_H
#define TFCORE_SERVICE_H

#include "fabric/endpoint.h"

/* A word is a futex that one thread sets and others wait for. Its values: */
enum { TFC_CLEAR = 0, TFC_SET = 1, TFC_SOMEBODY_SLEEPS = 2, TFC_DUTY_SLEEPS = 3 };

extern const tfc_idle tfc_idle_table;
/* Messages have come or gone: whoever sleeps has to poll sooner than planned. */
void tfc_poll_sooner(void);
/* How often a thread of this process has lent its core to other tasks. */
int64_t tfc_count_lent(void);
/* How many threads handle messages, so that no sender wakes one. */
int tfc_count_awake(void);
/* Handles messages while no other thread does, until the fabric is closed. */
void tfc_service_run(void);
/* The thread that writes the heartbeat. False: there is no thread. */
bool tfc_beat_start(void);
void tfc_beat_stop(void);
/* Sets a word for which threads may wait. */
void tfc_set_word(uint32_t* word);
/* Waits for at most ns until the word is set; with `spin`, polls for a while before it sleeps.
 * Returns whether the word is set. */
bool tfc_wait_word(uint32_t* word, int64_t ns, bool spin);

#endif
