/* The transport's state, shared by transport.c, transport_send.c and transport_receive.c. */
#ifndef TFCORE_TRANSPORT_STATE_H
#define TFCORE_TRANSPORT_STATE_H

#include <pthread.h>

#include "transport.h"

enum { TAG_HELLO = 1, TAG_FRAME = 2, TAG_PIECE = 16, TAGS = 16384 /* MPI allows 32767 */ };
enum { AT_A_TIME = 64 /* frames of a peer before the next peer's turn */ };

#define TFC_US INT64_C(1000)
#define TFC_MS INT64_C(1000000)

enum { VERSION = 1, MAGIC = 0x7fc0aa };

typedef struct tfc_hello {
  uint32_t magic, version;
  int32_t source;
  uint32_t incarnation;
} tfc_hello;

typedef struct tfc_frame {
  uint32_t magic, incarnation;
  uint64_t number;  /* of the frames to this peer, from 1 */
  uint32_t payload; /* its number among the payloads to this peer */
  uint32_t bytes;   /* of the record; 0: the sender leaves */
  char record[];
} tfc_frame;

enum { FRAME_BYTES = sizeof(tfc_frame) + TFC_TRANSPORT_RECORD };

typedef struct tfc_transfer {
  tfc_mpi_request request;
  bool begun, ended;
} tfc_transfer;

/* A message to a peer. */
typedef struct tfc_parcel {
  struct tfc_parcel* next;
  tfc_tensor payload; /* dtype 0: none */
  int64_t payload_bytes;
  tfc_transfer whole; /* of the frame */
  int n_pieces, begun, ended;
  tfc_transfer* pieces;
  size_t bytes;    /* of the frame */
  tfc_frame frame; /* must be last */
} tfc_parcel;

/* A message from a peer that is not delivered yet. */
typedef struct tfc_arrival {
  struct tfc_arrival* next;
  tfc_tensor payload; /* dtype 0: none, or no memory */
  bool may_be_passed;
  int64_t payload_bytes;
  int n_pieces, ended;
  tfc_transfer* pieces;
  size_t bytes;
  char record[];
} tfc_arrival;

typedef struct tfc_link_peer {
  int rank;
  /* Any thread. */
  pthread_mutex_t lock;
  tfc_parcel *queued, **queued_end; /* under lock */
  bool in_queue;                    /* under lock: among those with queued messages */
  struct tfc_link_peer* next_queued;
  int dropped; /* atomic */
  /* The thread that polls. */
  bool connected, gone, said_bye;
  tfc_transfer greeting;       /* HELLO */
  tfc_parcel *sending, *waits; /* in order; the first whose frame has not begun */
  tfc_parcel** sending_end;
  int frames_in_flight, pieces_in_flight;
  uint64_t frames_sent, frames_received;
  uint32_t payloads_sent, payloads_received, incarnation;
  tfc_transfer receive;
  tfc_frame* incoming; /* FRAME_BYTES */
  tfc_arrival *arriving, **arriving_end;
  int64_t heard, rung; /* when something last came from it, and was announced to it */
  int64_t dies_at;     /* MPI has reported it dead: when to stop waiting for its last messages; 0 */
  char reason[160];    /* why it is gone, or will be */
  bool untold;         /* the user does not know that it is gone */
} tfc_link_peer;

struct tfc_transport {
  tfc_mpi mpi;
  tfc_transport_user user;
  tfc_transport_options options;
  tfc_hello own_hello, other_hello;
  tfc_transfer hello_receive;
  tfc_link_peer* peers;      /* by rank */
  tfc_link_peer** connected; /* in the order of connecting */
  int n_connected;
  tfc_link_peer* queued; /* atomic: a stack of the peers with queued messages */
  int n_dropped;         /* atomic: peers to be given up */
  bool any_untold;       /* of the peers */
  char* discard;         /* piece_bytes, for payloads without memory; never read */
  int64_t news;          /* atomic: when something last happened, or a bell rang */
  int64_t longest_pause; /* atomic */
  int64_t leaves_at;     /* when this process began to leave; 0 */
};

/* ---- transport.c */

typedef enum { PENDING, DONE, FAILED } tfc_outcome;

/* A request that has failed is never taken for one that is done. */
tfc_outcome tfc_transport_test(tfc_transport* t, tfc_transfer* x, tfc_mpi_status* status,
                               int* error);
int tfc_transport_begin_send(tfc_transport* t, tfc_transfer* x, const void* data, size_t bytes,
                             int to, int tag);
int tfc_transport_begin_receive(tfc_transport* t, tfc_transfer* x, void* data, size_t bytes,
                                int from, int tag);
void tfc_transport_note_news(tfc_transport* t);
/* Gives up a peer, and all that it sent that is not delivered. What MPI uses is freed later, and
 * the user is told by the next poll. */
void tfc_transport_end(tfc_transport* t, tfc_link_peer* p, const char* reason);
void tfc_transport_end_for(tfc_transport* t, tfc_link_peer* p, int error, const char* what);
/* The process may have left in order just before: its last messages are waited for. */
void tfc_transport_note_dead(tfc_transport* t, tfc_link_peer* p, int error);
/* False: there is no memory. */
bool tfc_transport_connect(tfc_transport* t, tfc_link_peer* p);
bool tfc_transport_check_incarnation(tfc_transport* t, tfc_link_peer* p, uint32_t incarnation);

/* ---- transport_send.c */

bool tfc_transport_advance_sends(tfc_transport* t, tfc_link_peer* p); /* looks what has been sent */
void tfc_transport_free_parcel(tfc_parcel* o);
void tfc_transport_free_parcels(tfc_parcel* first);

/* ---- transport_receive.c */

bool tfc_transport_receive_frames(tfc_transport* t, tfc_link_peer* p);
/* Delivers messages that are complete, in order, as far as they need not wait for others. */
bool tfc_transport_advance_arrivals(tfc_transport* t, tfc_link_peer* p);
void tfc_transport_free_arrival(tfc_arrival* a);

static inline bool tfc_is_open(const tfc_transfer* x) {
  return x->begun && !x->ended;
}

static inline int tfc_piece_tag(uint32_t payload) {
  return TAG_PIECE + (int)(payload % TAGS);
}

/* The piece i of a payload: its size, and where it begins. */
static inline size_t tfc_piece(const tfc_transport* t, int64_t payload_bytes, int i, int64_t* at) {
  *at = i * t->options.piece_bytes;
  int64_t left = payload_bytes - *at;
  return (size_t)(left < t->options.piece_bytes ? left : t->options.piece_bytes);
}

#endif
