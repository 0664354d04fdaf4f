/* The functions that the transport uses: of the MPI library that this process has loaded, whichever
 * it is, or of a link that stands in for it (tcp_link.h).
 *
 * There is no mpi.h here: Open MPI's handles are pointers and MPICH's are ints, and their statuses
 * differ. A handle is passed as a 64-bit number, whose lower half is the int in the calling
 * conventions of x86-64 and AArch64 on Linux. A request is stored in 64 bits that are zero at
 * first, and MPI may use only the lower half; a status must fit into TFC_MPI_STATUS_BYTES.
 * tfc_mpi_find sets the functions, and transport/opening.py takes the handles from mpi4py.
 */
#ifndef TFCORE_MPI_CALLS_H
#define TFCORE_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TFC_MPI_STATUS_BYTES = 64 /* at least the size of a status */ };

typedef struct tfc_mpi_request {
  uint64_t handle;
} tfc_mpi_request;

typedef struct tfc_mpi_status {
  char bytes[TFC_MPI_STATUS_BYTES] __attribute__((aligned(8)));
} tfc_mpi_status;

/* The tags of the transport. Payload n uses the tag of n + 16384 as well: messages of a tag are
 * matched in order. TAG_CHUNK + CHUNK_TAGS must be at most 32767, which every MPI allows. */
enum { TAG_HELLO = 1, TAG_FRAME = 2, TAG_CHUNK = 16, CHUNK_TAGS = 16384 };

struct tfc_tcp_address;

typedef struct tfc_mpi {
  uint64_t comm, byte, no_request; /* MPI_Comm, MPI_BYTE, MPI_REQUEST_NULL */
  size_t status_source_offset;     /* where MPI_SOURCE lies in a status: an int */
  int any_source;
  int (*issend)(const void*, int, uint64_t type, int to, int tag, uint64_t comm, void* request);
  int (*irecv)(void*, int, uint64_t type, int from, int tag, uint64_t comm, void* request);
  int (*test)(void* request, int* done, void* status);
  int (*get_status)(uint64_t request, int* done, void* status); /* NULL: `test` is as good */
  int (*cancel)(void* request);
  int (*get_count)(const void* status, uint64_t type, int* count);
  int (*error_string)(int error, char* text, int* length);
  /* Fault tolerance (ULFM); NULL where MPI has none. */
  int (*get_failed)(uint64_t comm, void* group);
  int (*ack_failed)(uint64_t comm, int number, int* acknowledged);
  int (*comm_group)(uint64_t comm, void* group);
  int (*group_size)(uint64_t group, int* size);
  int (*group_translate)(uint64_t from, int n, const int* ranks, uint64_t to, int* found);
  int (*group_free)(void* group);
  /* Of other links (tcp_link.h); NULL for MPI, which moves messages in `test` and needs nobody's
   * address. `progress` moves what can be moved now, for `test` to see, and returns whether there
   * was anything. `admit` makes another process that of a rank. `disconnect` ends a rank's
   * requests; with `linger` frames that were begun are still sent. `in_transit`: bytes of sends
   * that are complete, but would be lost if this process ended now. */
  bool (*progress)(uint64_t comm);
  void (*admit)(uint64_t comm, int rank, uint32_t incarnation, const struct tfc_tcp_address* at);
  void (*disconnect)(uint64_t comm, int rank, bool linger);
  int64_t (*in_transit)(uint64_t comm, int rank);
} tfc_mpi;

/* Finds the functions in a library and in what it has loaded. NULL, or the name that is missing. */
const char* tfc_mpi_find(void* library, tfc_mpi* mpi);

#endif
