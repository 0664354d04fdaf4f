/* Start of the device process: maps the shared file, ties its life to the host's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "gpu.h"
#include "threads/block.h"

gpu self;

uint64_t draw(void) { /* SplitMix64 */
  uint64_t z = self.random += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* ---- Life and death */

/* Ends the process when the host closes its end of the socket, whatever the main thread does. */
static void* watch_host(void* unused) {
  char byte;
  while (recv(SOCKET_DESCRIPTOR, &byte, 1, 0) < 0 && errno == EINTR);
  _exit(0);
  return unused;
}

/* True if the process will end with the host. */
static bool tie_to(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) return false;
  pthread_t watcher;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  int error = pthread_create(&watcher, NULL, watch_host, NULL);
  pthread_sigmask(SIG_UNBLOCK, &all, NULL);
  return !error;
}

/* What else the host had open is not for us: a pipe would stay open. */
static void close_others(void) {
  syscall(SYS_close_range, SOCKET_DESCRIPTOR + 1, ~0u, 0);
}

/* ---- Memory */

static void* map(void* where, uint64_t offset, uint64_t bytes, int access) {
  int fixed = where ? MAP_FIXED_NOREPLACE : 0;
  void* p = mmap(where, bytes, access, MAP_SHARED | MAP_NORESERVE | fixed, FILE_DESCRIPTOR, offset);
  return p == MAP_FAILED || (where && p != where) ? NULL : p;
}

/* What went wrong, or NULL. */
static const char* map_all(void) {
  int both = PROT_READ | PROT_WRITE;
  machine* m = self.shared = map(NULL, 0, sizeof *m, both);
  if (!m) return "the shared file cannot be mapped";
  self.channel = &m->channels[self.index];
  self.arena = map(NULL, arena_offset(), m->arena_bytes, both);
  if (!self.arena) return "pinned memory cannot be mapped";
  for (int i = 0; i < (int)m->devices; i++) {
    if (i == self.index) {
      if (!map((void*)m->bases[i], device_offset(m, i), m->device_bytes, PROT_NONE))
        return "the addresses of the device's memory are taken";
    } else if (!(self.views[i] = map(NULL, device_offset(m, i), m->device_bytes, both))) {
      return "the memory of another device cannot be mapped";
    }
  }
  if (tfc_host_memory((void*)m->bases[self.index], m->device_bytes))
    return "no memory for the checks of kernels";
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr, "%s is started by libtfcore_emulated_cuda.so\n", arguments[0]);
    return 2;
  }
  self.index = atoi(arguments[1]);
  if (!tie_to(atoi(arguments[2]))) return 1;
  close_others();
  const char* error = map_all();
  message ready = {.kind = MESSAGE_READY};
  snprintf(ready.text, sizeof ready.text, "%s", error ? error : "");
  if (send(SOCKET_DESCRIPTOR, &ready, sizeof ready, MSG_NOSIGNAL) != sizeof ready || error)
    return 1;
  self.random = self.channel->seed ^ (uint64_t)self.index << 56;
  schedule();
}
