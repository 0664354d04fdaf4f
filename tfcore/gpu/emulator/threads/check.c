/* The checks of accesses: is the memory live, and does anything order this access after those
 * before?
 *
 * For each byte of shared and device memory two words are kept, about the last write and the last
 * read: when it was (`time`) and by which thread. Time advances at each start of a block, each
 * barrier and each operation of a warp. So an earlier access of the same block comes before the
 * running thread's if it is older than the block's last barrier, or if it is of the same warp and
 * older than the warp's last operation. Nothing orders accesses of different blocks of a launch.
 * Where several threads have read since, or several written atomically, flags say so.
 *
 * Two accesses race if nothing orders them, one is a write, and they are not both atomic. Accesses
 * through volatile pointers count as atomic: `volatile` on both sides (or an atomic function) is
 * how kernels of ours tell the checks that other blocks may touch the memory. An operation of some
 * lanes of a warp orders the whole warp: a race between its lanes is missed then, but no false one
 * is reported.
 */
#define _GNU_SOURCE
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"

extern uint3 blockIdx;

/* A word: the thread in the low bits, then flags, then the time. */
#define THREAD 0x3FFU
#define ATOMIC 0x400U  /* all accesses that the word stands for are atomic */
#define LANES 0x800U   /* several lanes of the warp */
#define WARPS 0x1000U  /* several warps of the block */
#define BLOCKS 0x2000U /* several blocks of the launch */
#define TIME_SHIFT 14
#define TIME_END (1U << (32 - TIME_SHIFT))

/* What is remembered about four bytes. */
typedef struct {
  uint32_t written[4], read[4];
} cell;

typedef struct {
  uintptr_t base;
  size_t bytes;
  const uint8_t* live; /* a bit for each byte; NULL: all are */
  cell* cells;
  size_t cell_bytes; /* of the mapping */
} region;

static struct {
  region device, variables, dynamic;
  uint8_t* device_live;
  const module* module; /* of the launch; NULL if it is not checked */
  uintptr_t stack_low, stack_high;
  uint32_t time;
  int used;        /* something was remembered at this time */
  uint32_t me;     /* the running thread's word */
  uint32_t recent; /* accesses before this time come before this one */
  uint32_t launch, block, barrier, warps[MAX_WARPS], warp;
} c;

unsigned char tfc_host_dynamic_shared[MAX_DYNAMIC_SHARED] __attribute__((aligned(128)));

/* ---- memory */

/* Pages of a file in memory count only when they are touched, whatever limits there are. */
static void* reserve_in_file(size_t bytes) {
  void* p = MAP_FAILED;
  const int file = memfd_create("tfcore_checks", MFD_CLOEXEC);
  if (file < 0) return p;
  if (ftruncate(file, (off_t)bytes) == 0)
    p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  return p;
}

/* Zeros that take no memory until they are touched: far more than there is. A system that does not
 * overcommit refuses the first way. */
static void* reserve(size_t bytes) {
  void* p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) p = reserve_in_file(bytes);
  return p == MAP_FAILED ? NULL : p;
}

/* Gives pages back; they are zeros again. */
static void clear(void* p, size_t bytes) {
  if (madvise(p, bytes, MADV_REMOVE)) madvise(p, bytes, MADV_DONTNEED); /* not of a file */
}

static void release(void* p, size_t bytes) {
  if (p) munmap(p, bytes);
}

static size_t cells_for(size_t bytes) {
  return (bytes / 4 + 2) * sizeof(cell);
}

/* The size of the map of what is live; two bytes are read at once. */
static size_t live_bytes(size_t bytes) {
  return bytes / 8 + 16;
}

static int set_region(region* r, uintptr_t base, size_t bytes) {
  r->base = base;
  r->bytes = bytes;
  r->cell_bytes = cells_for(bytes);
  r->cells = reserve(r->cell_bytes);
  return r->cells ? 0 : -1;
}

int tfc_host_memory(const void* base, size_t bytes) {
  release(c.device.cells, c.device.cell_bytes);
  release(c.device_live, live_bytes(c.device.bytes));
  c.device_live = NULL;
  memset(&c.device, 0, sizeof c.device);
  const uintptr_t first =
      (uintptr_t)base & ~(uintptr_t)7; /* whole bytes of the map of what is live */
  bytes += (uintptr_t)base - first;
  uint8_t* live = reserve(live_bytes(bytes));
  if (live == NULL) return TFC_HOST_MEMORY;
  if (set_region(&c.device, first, bytes) != 0) {
    release(live, live_bytes(bytes));
    memset(&c.device, 0, sizeof c.device);
    return TFC_HOST_MEMORY;
  }
  c.device.live = c.device_live = live;
  return TFC_HOST_OK;
}

static void set_bits(uint8_t* bits, size_t first, size_t count, int on) {
  while (count > 0 && first % 8 != 0) {
    bits[first / 8] =
        (uint8_t)(on ? bits[first / 8] | 1 << first % 8 : bits[first / 8] & ~(1 << first % 8));
    first++;
    count--;
  }
  memset(bits + first / 8, on ? 0xFF : 0, count / 8);
  first += count & ~(size_t)7;
  for (count %= 8; count > 0; count--, first++)
    bits[first / 8] =
        (uint8_t)(on ? bits[first / 8] | 1 << first % 8 : bits[first / 8] & ~(1 << first % 8));
}

/* Gives back the memory of cells. Nobody asks for the history of what is dead. */
static void forget_range(size_t first, size_t bytes) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t low = ((uintptr_t)&c.device.cells[first / 4 + 1] + page - 1) & ~(page - 1);
  const uintptr_t high = (uintptr_t)&c.device.cells[(first + bytes) / 4] & ~(page - 1);
  if (low < high) clear((void*)low, high - low);
}

void tfc_host_allow(const void* p, size_t bytes, int on) {
  const uintptr_t first = (uintptr_t)p - c.device.base;
  if (first >= c.device.bytes || bytes > c.device.bytes - first) return;
  set_bits(c.device_live, first, bytes, on);
  if (!on) forget_range(first, bytes);
}

int tfc_check_prepare(module* m) {
  m->shared_live = calloc(1, live_bytes(m->shared_bytes));
  m->shared_cells = reserve(cells_for(m->shared_bytes));
  if (m->shared_live && m->shared_cells) return 0;
  tfc_check_release(m);
  return -1;
}

void tfc_check_release(module* m) {
  free(m->shared_live);
  release(m->shared_cells, cells_for(m->shared_bytes));
  m->shared_live = NULL;
  m->shared_cells = NULL;
}

/* ---- the blocks of a launch, for reports */

static struct {
  uint32_t* times; /* when each began, since all was forgotten */
  size_t capacity, count;
  uint64_t first; /* the number of the first of them, in the order of the launch */
} blocks;

static int prepare_blocks(size_t count) {
  if (count > TIME_END) count = TIME_END;
  blocks.count = 0;
  blocks.first = 0;
  if (count <= blocks.capacity) return 0;
  uint32_t* times = realloc(blocks.times, count * sizeof *times);
  if (times == NULL) return -1;
  blocks.times = times;
  blocks.capacity = count;
  return 0;
}

static void begin_block(uint32_t time) {
  if (blocks.count > 0 && time < blocks.times[blocks.count - 1]) { /* all was forgotten */
    blocks.first += blocks.count;
    blocks.count = 0;
  }
  if (blocks.count < blocks.capacity) blocks.times[blocks.count++] = time;
}

/* The last block that began at a time or before. */
static int describe_block_at(uint32_t time, char* text, size_t bytes) {
  size_t low = 0, high = blocks.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (blocks.times[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  const uint3 at = tfc_block_at(blocks.first + low - 1);
  snprintf(text, bytes, "block (%u, %u, %u)", at.x, at.y, at.z);
  return 1;
}

/* ---- time */

static void forget(const region* r) {
  if (r->cells) clear(r->cells, r->cell_bytes);
}

static void forget_all(void) {
  forget(&c.device);
  forget(&c.variables);
  forget(&c.dynamic);
  memset(c.warps, 0, sizeof c.warps);
  c.launch = c.block = c.barrier = 1; /* words of 0 are older */
  c.time = 1;
}

/* A time later than that of every access so far. When the numbers are used up, all is forgotten:
 * races with what was before are missed. */
static uint32_t advance(void) {
  if (c.used && ++c.time >= TIME_END) forget_all();
  c.used = 0;
  return c.time;
}

static void update_me(void) {
  c.me = c.time << TIME_SHIFT | (uint32_t)tfc_run.current;
  c.warp = c.warps[tfc_run.current / WARP];
}

int tfc_check_launch(const module* m, size_t dynamic_shared, size_t block_count) {
  c.module = m && m->checked ? m : NULL;
  if (c.module == NULL) return 0;
  if (c.dynamic.cells == NULL && set_region(&c.dynamic, (uintptr_t)tfc_host_dynamic_shared,
                                            sizeof tfc_host_dynamic_shared) != 0)
    return -1;
  if (prepare_blocks(block_count) != 0) return -1;
  c.dynamic.bytes = dynamic_shared;
  c.variables = (region){m->shared, m->shared_bytes, m->shared_live, m->shared_cells,
                         cells_for(m->shared_bytes)};
  /* Another module's cells may be older than the last time that all was forgotten. */
  static const module* last;
  if (last != m) forget(&c.variables);
  last = m;
  if (c.time == 0 || c.time + 4 * block_count > TIME_END) forget_all();
  c.launch = advance();
  return 0;
}

void tfc_check_block(void) {
  if (c.module == NULL) return;
  c.block = c.barrier = advance();
  begin_block(c.block);
}

void tfc_check_barrier(void) {
  if (c.module == NULL) return;
  c.barrier = advance();
  update_me();
}

void tfc_check_warp(int warp) {
  if (c.module == NULL) return;
  c.warps[warp] = advance();
  update_me();
}

void tfc_check_thread(int thread, const tfc_fiber* fiber) {
  (void)thread;
  if (c.module == NULL) return;
  c.stack_low = fiber->low;
  c.stack_high = fiber->high;
  update_me();
}

/* ---- reports */

static const char* verb(int access) {
  return access & CHECK_ATOMIC  ? access & CHECK_WRITE ? "an atomic write" : "a volatile read"
         : access & CHECK_WRITE ? "a write"
                                : "a read";
}

static int is_live(const region* r, uintptr_t offset) {
  return offset < r->bytes && (r->live == NULL || (r->live[offset / 8] >> offset % 8 & 1));
}

/* Where an address lies beside something live. */
static void describe_neighbour(const region* r, uintptr_t offset, char* text, size_t bytes) {
  enum { FAR = 65536 };
  for (uintptr_t n = 1; n <= FAR; n++) {
    if (offset >= n && is_live(r, offset - n)) {
      snprintf(text, bytes, ", %zu bytes past the end of what is live", (size_t)n - 1);
      return;
    }
    if (is_live(r, offset + n)) {
      snprintf(text, bytes, ", %zu bytes before what is live", (size_t)n);
      return;
    }
  }
  snprintf(text, bytes, ", far from what is live");
}

static const char* region_name(const region* r) {
  return r == &c.device    ? "device memory"
         : r == &c.dynamic ? "dynamic shared memory"
                           : "shared memory";
}

static _Noreturn void fail_bounds(const region* r, uintptr_t address, size_t bytes, int access,
                                  const void* pc) {
  char where[96] = "", code[256];
  tfc_describe_code(pc, code, sizeof code);
  if (r == NULL)
    tfc_fail(TFC_HOST_BOUNDS, "%s of %zu bytes at %#zx, which is not the device's memory, in %s",
             verb(access), bytes, (size_t)address, code);
  uintptr_t offset = address - r->base;
  while (is_live(r, offset) && offset < address - r->base + bytes) offset++;
  describe_neighbour(r, offset, where, sizeof where);
  tfc_fail(TFC_HOST_BOUNDS, "%s of %zu bytes at %#zx outside live %s%s, in %s", verb(access), bytes,
           (size_t)address, region_name(r), where, code);
}

/* The threads that a word stands for, as seen from the running thread. */
static void describe_other(uint32_t word, char* text, size_t bytes) {
  const int thread = (int)(word & THREAD);
  const uint32_t time = word >> TIME_SHIFT;
  char who[64], block[64] = "";
  tfc_describe_thread(thread, who, sizeof who);
  if (word & BLOCKS)
    snprintf(text, bytes, "a thread of another block");
  else if (time < c.block && describe_block_at(time, block, sizeof block))
    snprintf(text, bytes, "%s of %s", who, block);
  else if (time >= c.block && thread == tfc_run.current)
    snprintf(text, bytes, "another thread");
  else
    snprintf(text, bytes, "%s", who);
}

static _Noreturn void fail_race(const region* r, uintptr_t address, int access, uint32_t other,
                                int other_access, const void* pc) {
  char who[160], code[256];
  tfc_describe_code(pc, code, sizeof code);
  describe_other(other, who, sizeof who);
  tfc_fail(TFC_HOST_RACE, "race: %s at %#zx in %s, in %s, is not ordered after %s by %s",
           verb(access), (size_t)address, region_name(r), code, verb(other_access), who);
}

/* ---- accesses */

/* Whether nothing orders what a recent word stands for before the running thread's next access. */
static __attribute__((noinline)) int concurrent(uint32_t word) {
  const uint32_t time = word >> TIME_SHIFT;
  if (time < c.block || word & BLOCKS) return 1;
  if (time < c.barrier) return 0;
  if (word & WARPS || ((word ^ c.me) & THREAD) >= WARP) return 1;
  if (time < c.warp) return 0;
  return word & LANES || ((word ^ c.me) & THREAD) != 0;
}

/* The word that stands for the running thread's access and for what a recent one stood for, as far
 * as that matters. */
static __attribute__((noinline)) uint32_t merge(uint32_t word, uint32_t mine) {
  const uint32_t time = word >> TIME_SHIFT;
  if (time < c.block || word & BLOCKS) {
    mine |= BLOCKS;
    if (!(word & ATOMIC)) mine &= ~ATOMIC;
  }
  if (time < c.block || time < c.barrier) return mine;
  if (!(word & ATOMIC)) mine &= ~ATOMIC;
  if (word & WARPS || ((word ^ mine) & THREAD) >= WARP) return mine | WARPS;
  if (time < c.warp) return mine;
  return word & LANES || ((word ^ mine) & THREAD) != 0 ? mine | LANES : mine;
}

/* Most words are so old that they do not matter. */
static inline int recent(uint32_t word) {
  return word >> TIME_SHIFT >= c.recent;
}

/* Accesses of one byte. 1: a race with a write, 2: with a read. */
static inline int note(uint32_t* written, uint32_t* read, int access) {
  const uint32_t atomic = access & CHECK_ATOMIC ? ATOMIC : 0, mine = c.me | atomic;
  if (recent(*written) && concurrent(*written) && !(*written & atomic)) return 1;
  if (!(access & CHECK_WRITE)) {
    *read = recent(*read) ? merge(*read, mine) : mine;
    return 0;
  }
  if (recent(*read) && concurrent(*read) && !(*read & atomic)) return 2;
  *written = atomic && recent(*written) ? merge(*written, mine) : mine;
  return 0;
}

static void note_bytes(const region* r, uintptr_t address, size_t bytes, int access,
                       const void* pc) {
  for (uintptr_t at = address - r->base, end = at + bytes; at < end; at++) {
    cell* of = &r->cells[at / 4];
    const uint32_t written = of->written[at % 4], read = of->read[at % 4];
    const int race = note(&of->written[at % 4], &of->read[at % 4], access);
    if (race)
      fail_race(r, r->base + at, access, race == 1 ? written : read, race == 1 ? CHECK_WRITE : 0,
                pc);
  }
}

static inline uint64_t twice(uint32_t word) {
  return (uint64_t)word << 32 | word;
}

/* The four bytes of a cell at once, if they have the same history. Returns 0 if they have not, or
 * if there is a race. */
static inline int note_cell(cell* of, int access) {
  uint64_t w[2], r[2];
  memcpy(w, of->written, sizeof w);
  memcpy(r, of->read, sizeof r);
  uint32_t written = (uint32_t)w[0], read = (uint32_t)r[0];
  if (w[0] != w[1] || r[0] != r[1] || w[0] != twice(written) || r[0] != twice(read)) return 0;
  if (note(&written, &read, access)) return 0;
  const uint64_t both = twice(access & CHECK_WRITE ? written : read);
  uint32_t* changed = access & CHECK_WRITE ? of->written : of->read;
  memcpy(changed, &both, sizeof both);
  memcpy(changed + 2, &both, sizeof both);
  return 1;
}

static inline int all_live(const region* r, uintptr_t offset, size_t bytes) {
  if (offset > r->bytes || bytes > r->bytes - offset) return 0;
  if (r->live == NULL) return 1;
  if (bytes <= 8) {
    uint16_t bits;
    memcpy(&bits, r->live + offset / 8, sizeof bits);
    const unsigned wanted = (1U << bytes) - 1;
    return ((unsigned)bits >> offset % 8 & wanted) == wanted;
  }
  for (size_t n = 0; n < bytes; n++)
    if (!is_live(r, offset + n)) return 0;
  return 1;
}

static inline __attribute__((always_inline)) void check_region(const region* r, uintptr_t address,
                                                               size_t bytes, int access,
                                                               const void* pc) {
  const uintptr_t offset = address - r->base;
  if (!all_live(r, offset, bytes)) fail_bounds(r, address, bytes, access, pc);
  c.recent = r == &c.device ? c.launch : c.barrier;
  c.used = 1;
  if (address % 4 == 0 && bytes % 4 == 0) {
    size_t done = 0;
    while (done < bytes && note_cell(&r->cells[(offset + done) / 4], access)) done += 4;
    address += done;
    bytes -= done;
  }
  if (bytes > 0) note_bytes(r, address, bytes, access, pc);
}

static inline __attribute__((always_inline)) void check(uintptr_t address, size_t bytes, int access,
                                                        const void* pc) {
  if (c.module == NULL || bytes == 0) return;
  if (address - c.stack_low < c.stack_high - c.stack_low) return;
  if (address - c.device.base < c.device.bytes) {
    check_region(&c.device, address, bytes, access, pc);
  } else if (address - c.variables.base < c.variables.bytes) {
    check_region(&c.variables, address, bytes, access, pc);
  } else if (address - c.dynamic.base < sizeof tfc_host_dynamic_shared) {
    check_region(&c.dynamic, address, bytes, access, pc);
  } else if (!(access & CHECK_WRITE) && (address - c.module->low < c.module->high - c.module->low ||
                                         address - (uintptr_t)tfc_run.params < MAX_PARAMS)) {
    return; /* constants, and the parameters */
  } else if (address - c.module->variables < c.module->variable_bytes) {
    return; /* variables outside of functions */
  } else {
    fail_bounds(NULL, address, bytes, access, pc);
  }
}

void tfc_check_access(uintptr_t address, size_t bytes, int access, const void* pc) {
  check(address, bytes, access, pc);
}

void tfc_check_aligned(uintptr_t address, size_t bytes, int access, const void* pc) {
  if (address & (bytes - 1) && c.module) {
    char code[256];
    tfc_describe_code(pc, code, sizeof code);
    tfc_fail(TFC_HOST_MISALIGNED,
             "%s of %zu bytes at %#zx, which is not a multiple of its size, in %s", verb(access),
             bytes, (size_t)address, code);
  }
  check(address, bytes, access, pc);
}
