/* Finds the functions of MPI in the library that mpi4py has loaded. */
#define _GNU_SOURCE
#include "transport/mpi_calls.h"

#include <dlfcn.h>

/* The first of two names that the library has: functions of ULFM carry a prefix until they are
 * standard. */
static void* find(void* library, const char* name, const char* other) {
  void* found = dlsym(library, name);
  return found || !other ? found : dlsym(library, other);
}

const char* tfc_mpi_find(void* library, tfc_mpi* mpi) {
  struct {
    void* to;
    const char *name, *other;
    bool needed;
  } wanted[] = {
      {&mpi->issend, "MPI_Issend", NULL, true},
      {&mpi->irecv, "MPI_Irecv", NULL, true},
      {&mpi->test, "MPI_Test", NULL, true},
      {&mpi->get_status, "MPI_Request_get_status", NULL, true},
      {&mpi->cancel, "MPI_Cancel", NULL, true},
      {&mpi->get_count, "MPI_Get_count", NULL, true},
      {&mpi->error_string, "MPI_Error_string", NULL, true},
      {&mpi->comm_group, "MPI_Comm_group", NULL, true},
      {&mpi->group_size, "MPI_Group_size", NULL, true},
      {&mpi->group_translate, "MPI_Group_translate_ranks", NULL, true},
      {&mpi->group_free, "MPI_Group_free", NULL, true},
      {&mpi->get_failed, "MPI_Comm_get_failed", "MPIX_Comm_get_failed", false},
      {&mpi->ack_failed, "MPI_Comm_ack_failed", "MPIX_Comm_ack_failed", false},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void* function = find(library, wanted[i].name, wanted[i].other);
    if (!function && wanted[i].needed) return wanted[i].name;
    *(void**)wanted[i].to = function;
  }
  return NULL;
}
