"""C declarations of the fabric's own files, for fabric.pyx alone: other modules use fabric.pxd."""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from tfcore.core.runtime cimport *
from tfcore.distributed.fabric.fabric cimport tfc_doorbell, tfc_message

cdef extern from "fabric/arena.h" nogil:
    int tfc_arena_fd()
    size_t tfc_arena_bytes()
    const tfc_source *tfc_arena_source()

cdef extern from "fabric/ring.h" nogil:
    int64_t tfc_now_monotonic()

cdef extern from "fabric/handouts.h" nogil:
    int64_t tfc_count_withheld()

cdef extern from "fabric/reach.h" nogil:
    ctypedef struct tfc_memory_address:
        int64_t pid
        int inbox_fd
        int arena_fd
        size_t arena_bytes
        uint64_t token

cdef extern from "transport/tcp_link.h" nogil:
    enum:
        TFC_TCP_MAX_HOSTS
    ctypedef struct tfc_tcp_address:
        uint16_t port
        int n
        uint32_t hosts[TFC_TCP_MAX_HOSTS]

cdef extern from "fabric/endpoint.h" nogil:
    ctypedef struct tfc_traffic:
        int64_t messages
        int64_t bytes

    ctypedef struct tfc_peer:
        uint32_t incarnation
        int generation
        int host
        bool foreign
        int64_t pid
        int told
        tfc_traffic sent
        tfc_traffic received
        tfc_traffic waiting

    ctypedef struct tfc_endpoint:
        int size
        int inbox_fd
        int64_t spin_ns
        bint lends_core
        int64_t refused
        uint64_t token

    tfc_endpoint tfc_here
    tfc_peer *tfc_peer_of(int)
    int64_t tfc_outstanding(const tfc_peer *)
    int tfc_waits(const tfc_peer *)
    int tfc_peer_state_of(const tfc_peer *)
    tfc_traffic tfc_traffic_of(const tfc_traffic *)
    bool tfc_running()
    const char *tfc_endpoint_open(int, int, int, uint32_t, uint64_t)
    void tfc_endpoint_identify(int, uint32_t, int)
    void tfc_endpoint_vacate(int, const char *)
    const char *tfc_endpoint_replace(int, uint32_t, int, int, const tfc_memory_address *, const tfc_tcp_address *)
    void tfc_lock_polling()
    void tfc_unlock_polling()
    void tfc_endpoint_start(int64_t)
    void tfc_endpoint_close(int64_t)
    void tfc_endpoint_after_fork()
    void tfc_set_description(int, const char *)

cdef extern from "fabric/reach.h" nogil:
    void tfc_reach_set_address(tfc_peer *, const tfc_memory_address *)
    const char *tfc_reach(tfc_peer *)

cdef extern from "fabric/service.h" nogil:
    void tfc_service_run()
    int tfc_count_awake()
    int64_t tfc_count_lent()
    bool tfc_beat_start()
    void tfc_beat_stop()
    bool tfc_wait_word(uint32_t *, int64_t, bool)

cdef extern from "fabric/calls.h" nogil:
    ctypedef struct tfc_call:
        uint32_t incarnation
        uint64_t id
        uint32_t done
        int code
        tfc_tensor reply

    ctypedef struct tfc_request:
        int source
        uint32_t incarnation
        bool failed
        uint64_t id
        tfc_tensor payload

    void tfc_calls_init()
    void tfc_call_begin(tfc_call *, int, uint32_t)
    void tfc_call_end(tfc_call *)
    bool tfc_request_take(tfc_request *, int64_t, bool, bool *)

cdef extern from "transport/mpi_calls.h" nogil:
    ctypedef struct tfc_mpi:
        uint64_t comm, byte, no_request
        size_t status_source_offset
        int any_source
    const char *tfc_mpi_find(void *, tfc_mpi *)

cdef extern from "fabric/link.h" nogil:
    const char *tfc_link_listen(uint16_t *)
    const char *tfc_link_open(const tfc_mpi *, const tfc_doorbell *, int64_t)
    const char *tfc_link_admit(int, uint32_t, const tfc_tcp_address *)
    void tfc_link_doorbell_rang()
    void tfc_link_queued(int, int64_t *, int64_t *)
    void tfc_link_close(int64_t)

cdef extern from "<dlfcn.h>" nogil:
    enum:
        RTLD_NOLOAD
        RTLD_LAZY
    void *dlopen(const char *, int)

cdef extern from "rendezvous/rendezvous.h" nogil:
    enum:
        TFC_MAX_TASKS
        TFC_MAX_GENERATION

cdef extern from "fabric/mailbox.h" nogil:
    ctypedef struct tfc_mail:
        tfc_message message
        tfc_tensor payload

    ctypedef struct tfc_mailbox:
        uint32_t filled

    tfc_mailbox *tfc_mailbox_open(int)
    tfc_mail *tfc_mailbox_take(tfc_mailbox *)
