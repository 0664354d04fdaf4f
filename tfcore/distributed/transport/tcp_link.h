/* TCP, with the functions of MPI that the transport uses: for processes that are in no
 * communicator.
 *
 * Each process listens at a port. Two processes share two connections, made when first used: one
 * for frames and one for chunks, so that small messages don't wait behind tensors. A process
 * that connects says first which one it is (tcp_state.h). One that does not know the job's token,
 * or takes this process or itself for another incarnation, is disconnected without a trace.
 *
 * Unlike those of MPI, sends are complete when the system has taken their bytes; a process that
 * ends waits until the systems of its peers have them. Chunks are matched with receives in the
 * order in which both were posted. A process is gone when its connections end; what has arrived
 * before is received first. So a process that gives a peer up keeps the connections open, unused:
 * to the peer, which may only have been frozen, their end would mean a death. Silence is not a
 * failure: TCP waits, and heartbeats decide.
 *
 * One thread at a time may call these functions, without the GIL; none of them blocks.
 */
#ifndef TFCORE_TCP_LINK_H
#define TFCORE_TCP_LINK_H

#include "transport/mpi_calls.h"

typedef struct tfc_tcp tfc_tcp;

enum { TFC_TCP_MAX_HOSTS = 8 /* addresses of a process's host */ };

/* Where a process listens. */
typedef struct tfc_tcp_address {
  uint16_t port;
  int n;
  uint32_t hosts[TFC_TCP_MAX_HOSTS]; /* IPv4, in network byte order */
} tfc_tcp_address;

/* Listens at any address and a free port. NULL: *why says what is wrong. */
tfc_tcp* tfc_tcp_open(const char** why);
uint16_t tfc_tcp_port(const tfc_tcp* tcp);
/* Sets the rank of this process among `size`; connections are taken from now on. False: out of
 * memory. */
bool tfc_tcp_start(tfc_tcp* tcp, int rank, int size, uint32_t incarnation, uint64_t token);
/* The functions, for `tfc_transport_open`. */
tfc_mpi tfc_tcp_table(tfc_tcp* tcp);
/* No request may be used any more. */
void tfc_tcp_close(tfc_tcp* tcp);
/* In a forked child: closes its copies of the sockets, else peers would not notice the parent's
 * death. The rest is not freed: another thread may have been using it. */
void tfc_tcp_after_fork(tfc_tcp* tcp);

#endif
