/* The messages of detectors: little-endian, checked when read. */
#ifndef TFCORE_DETECTOR_WIRE_H
#define TFCORE_DETECTOR_WIRE_H

#include "membership/view.h"

enum { TFC_WAVE = 1, TFC_ANSWER = 2, TFC_FACTS = 3 };
enum {
  TFC_ELECTED = 1,    /* wave: a quorum has answered the root */
  TFC_COMPLETE = 2,   /* wave: all members have been counted once */
  TFC_SLOW = 4,       /* the limit is that of the slow path */
  TFC_LOWEST = 8,     /* answer: the member of the lowest rank is counted */
  TFC_ELSEWHERE = 16, /* answer: this wave came by another way before */
  TFC_SLOW_LEASE = 32 /* wave: a quorum knows of the slow path, so leases are longer, too */
};

typedef struct tfc_detector_message {
  uint8_t kind, flags;
  uint32_t from, number; /* the sender, and the number of its process */
  uint64_t digest;       /* of its view */
  uint64_t term;
  uint32_t root;
  uint32_t wave;
  uint32_t confirmed; /* wave: the receiver's answers up to this one count */
  uint32_t count;     /* answer: members of the subtree; wave: of the last one, of all */
  /* answer: since when no wave of an earlier term came, at least; wave: since the root sent the
   * last one that a quorum has answered */
  uint32_t silence_ms;
  /* facts */
  uint32_t fact_number, event;
  char text[TFC_REASON_BYTES + 1];
  tfc_rank_set ranks; /* facts: about whom; answer: who is missing */
  tfc_rank_set condemned;
} tfc_detector_message;

/* A set takes at most this and n / 8 bytes. */
size_t tfc_detector_message_room(int size);
size_t tfc_detector_write(const tfc_detector_message* m, uint8_t* out);
/* The sets of *m must be empty, with their sizes; clear them afterwards, also if the
 * data were malformed. */
bool tfc_detector_read(tfc_detector_message* m, const uint8_t* data, size_t bytes);

#endif
