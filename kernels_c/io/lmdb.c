/* LMDB databases. See lmdb.h.
 *
 * A file is made of pages of one size. The first two have the roots of the trees, each of another
 * transaction; the later one counts. The pages of a tree are branches, whose nodes name other
 * pages, and leaves, whose nodes have keys and values. A large value has pages of its own. Numbers
 * have the byte order and word size of the machine that wrote them: little-endian, 64 bits.
 */
#include "kernels_c/io/lmdb.h"

#include <sys/stat.h>

TFC_ONE_LEVEL;

enum {
  HEAD = 16, /* bytes: number (8), padding (2), flags (2), end of the nodes' offsets (2), ... */
  NODE = 8,  /* bytes: size or page (4), flags or page (2), size of the key (2) */
  META_ROOTS = 24,
  ROOT = 48,
  META_TRANSACTION = META_ROOTS + 2 * ROOT + 8,
  META = META_TRANSACTION + 8,
  SMALLEST_PAGE = 256,
  LARGEST_PAGE = 1 << 16,
  DEEPEST = 32,
  END = -1
};
enum { BRANCH = 1, LEAF = 2, LARGE = 4 };     /* flags of pages */
enum { VALUE_IS_LARGE = 1, HAS_SEVERAL = 4 }; /* flags of nodes */
static const uint32_t MAGIC = 0xBEEFC0DEu;
static const uint32_t FORMAT = 1;
static const uint64_t NO_PAGE = UINT64_MAX;

typedef struct level {
  uint8_t* page;
  int n, next; /* nodes */
} level;

struct lmdb_reader {
  int fd;
  char* path;
  size_t page_size;
  uint64_t n_pages, root;
  int depth, at; /* levels; those that are read */
  level levels[DEEPEST];
  uint8_t* value; /* a large one */
};

static uint64_t number_at(const uint8_t* at, int size) {
  uint64_t number = 0;
  for (int i = size; i-- > 0;) number = number << 8 | at[i];
  return number;
}

static int fail(tfc_file_status* status, int code, const char* path, const char* text) {
  snprintf(status->text, sizeof status->text, "%.1000s; %s", path, text);
  return status->code = code;
}

static int damaged(const lmdb_reader* r, tfc_file_status* status) {
  return fail(status, TFC_DATA_LOSS, r->path, "the LMDB database is damaged");
}

/* Exactly `size` bytes. */
static int read_at(const lmdb_reader* r, void* to, size_t size, uint64_t offset,
                   tfc_file_status* status) {
  for (uint8_t* at = to; size;) {
    const ssize_t n = pread(r->fd, at, TFC_MIN(size, (size_t)1 << 30), (off_t)offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(status, tfc_code_of_errno(errno), r->path, strerror(errno));
    if (n == 0) return fail(status, TFC_DATA_LOSS, r->path, "the LMDB database is cut off");
    at += n;
    offset += (uint64_t)n;
    size -= (size_t)n;
  }
  return TFC_OK;
}

/* ---- Opening */

static int open_file(lmdb_reader* r, const char* path, tfc_file_status* status) {
  struct stat found;
  if (tfc_is_remote(path)) {
    r->path = strdup(path);
    if (!r->path) return fail(status, TFC_RESOURCE_EXHAUSTED, path, "no memory");
    r->fd = tfc_remote_copy(path, NULL, NULL, status);
    return r->fd < 0 ? status->code : TFC_OK;
  }
  const bool folder = !stat(path, &found) && S_ISDIR(found.st_mode);
  r->path = malloc(strlen(path) + sizeof "/data.mdb");
  if (!r->path) return fail(status, TFC_RESOURCE_EXHAUSTED, path, "no memory");
  strcat(strcpy(r->path, path), folder ? "/data.mdb" : "");
  r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
  return r->fd < 0 ? fail(status, tfc_code_of_errno(errno), r->path, strerror(errno)) : TFC_OK;
}

static bool is_meta(const uint8_t* meta) {
  return number_at(meta, 4) == MAGIC && number_at(meta + 4, 4) == FORMAT;
}

/* The root of the tree without a name, which is the second of the transaction. */
static int read_root(lmdb_reader* r, const uint8_t* meta, tfc_file_status* status) {
  const uint8_t* root = meta + META_ROOTS + ROOT;
  const uint64_t flags = number_at(root + 4, 2);
  if (flags & HAS_SEVERAL)
    return fail(status, TFC_UNIMPLEMENTED, r->path,
                "LMDB databases with several values of a key (MDB_DUPSORT) are not supported");
  r->depth = (int)number_at(root + 6, 2);
  r->root = number_at(root + 40, 8);
  if (r->root == NO_PAGE) r->depth = 0;
  return r->depth > DEEPEST ? damaged(r, status) : TFC_OK;
}

static int read_metas(lmdb_reader* r, tfc_file_status* status) {
  uint8_t first[META], second[META];
  struct stat found;
  if (fstat(r->fd, &found)) return fail(status, tfc_code_of_errno(errno), r->path, strerror(errno));
  TFC_TRY(read_at(r, first, META, HEAD, status));
  if (!is_meta(first)) return fail(status, TFC_INVALID_ARGUMENT, r->path, "not an LMDB database");
  r->page_size = number_at(first + META_ROOTS, 4);
  if (r->page_size < SMALLEST_PAGE || r->page_size > LARGEST_PAGE || r->page_size % NODE)
    return damaged(r, status);
  r->n_pages = (uint64_t)found.st_size / r->page_size;
  TFC_TRY(read_at(r, second, META, r->page_size + HEAD, status));
  const bool later = is_meta(second) && number_at(second + META_TRANSACTION, 8) >
                                            number_at(first + META_TRANSACTION, 8);
  return read_root(r, later ? second : first, status);
}

static int make_levels(lmdb_reader* r, tfc_file_status* status) {
  for (int i = 0; i < r->depth; i++) {
    r->levels[i].page = malloc(r->page_size);
    if (!r->levels[i].page) return fail(status, TFC_RESOURCE_EXHAUSTED, r->path, "no memory");
  }
  return TFC_OK;
}

lmdb_reader* lmdb_open(const char* path, tfc_file_status* status) {
  lmdb_reader* r = calloc(1, sizeof *r);
  if (!r) {
    fail(status, TFC_RESOURCE_EXHAUSTED, path, "no memory");
    return NULL;
  }
  r->fd = -1;
  int code = open_file(r, path, status);
  if (!code) code = read_metas(r, status);
  if (!code) code = make_levels(r, status);
  if (!code) return r;
  lmdb_close(r);
  return NULL;
}

/* ---- The tree */

/* Reads a page into the next level; the last level must be of leaves, the others of branches. */
static int enter(lmdb_reader* r, uint64_t number, tfc_file_status* status) {
  level* l = &r->levels[r->at];
  if (number < 2 || number >= r->n_pages) return damaged(r, status);
  TFC_TRY(read_at(r, l->page, r->page_size, number * r->page_size, status));
  const uint64_t end = number_at(l->page + 12, 2), flags = number_at(l->page + 10, 2);
  const uint64_t kind = r->at + 1 == r->depth ? LEAF : BRANCH;
  if (!(flags & kind) || end < HEAD || end > r->page_size) return damaged(r, status);
  l->n = (int)((end - HEAD) / 2);
  l->next = 0;
  r->at++;
  return TFC_OK;
}

/* The next node of a page; its key ends within the page. */
static int next_node(const lmdb_reader* r, level* l, const uint8_t** node,
                     tfc_file_status* status) {
  const uint64_t offset = number_at(l->page + HEAD + 2 * l->next, 2);
  if (offset < HEAD || offset + NODE > r->page_size) return damaged(r, status);
  *node = l->page + offset;
  if (offset + NODE + number_at(*node + 6, 2) > r->page_size) return damaged(r, status);
  return TFC_OK;
}

static int read_large(lmdb_reader* r, uint64_t page, size_t size, tfc_string* value,
                      tfc_file_status* status) {
  uint8_t head[HEAD];
  if (page < 2 || page >= r->n_pages) return damaged(r, status);
  TFC_TRY(read_at(r, head, HEAD, page * r->page_size, status));
  if (!(number_at(head + 10, 2) & LARGE) ||
      size > (r->n_pages - page) * (uint64_t)r->page_size - HEAD)
    return damaged(r, status);
  uint8_t* grown = realloc(r->value, size + 1);
  if (!grown) return fail(status, TFC_RESOURCE_EXHAUSTED, r->path, "no memory for a value");
  r->value = grown;
  *value = (tfc_string){(char*)grown, size};
  return read_at(r, grown, size, page * r->page_size + HEAD, status);
}

static int read_pair(lmdb_reader* r, level* l, tfc_string* key, tfc_string* value,
                     tfc_file_status* status) {
  const uint8_t* node;
  TFC_TRY(next_node(r, l, &node, status));
  const uint64_t size = number_at(node, 4), flags = number_at(node + 4, 2);
  *key = (tfc_string){(char*)node + NODE, number_at(node + 6, 2)};
  const uint8_t* data = node + NODE + key->size;
  const uint64_t room = (uint64_t)(l->page + r->page_size - data);
  if (flags & VALUE_IS_LARGE)
    return room < 8 ? damaged(r, status) : read_large(r, number_at(data, 8), size, value, status);
  if (size > room) return damaged(r, status);
  *value = (tfc_string){(char*)data, size};
  return TFC_OK;
}

int lmdb_next(lmdb_reader* r, tfc_string* key, tfc_string* value, tfc_file_status* status) {
  if (!r->depth) return END;
  if (!r->at) TFC_TRY(enter(r, r->root, status));
  for (;;) {
    level* l = &r->levels[r->at - 1];
    if (l->next == l->n) {
      if (r->at == 1) return END;
      r->at--;
    } else if (r->at == r->depth) {
      TFC_TRY(read_pair(r, l, key, value, status));
      l->next++;
      return TFC_OK;
    } else {
      const uint8_t* node;
      TFC_TRY(next_node(r, l, &node, status));
      TFC_TRY(enter(r, number_at(node, 4) | number_at(node + 4, 2) << 32, status));
      l->next++;
    }
  }
}

void lmdb_rewind(lmdb_reader* r) {
  r->at = 0;
}

void lmdb_close(lmdb_reader* r) {
  if (!r) return;
  if (r->fd >= 0) close(r->fd);
  for (int i = 0; i < DEEPEST; i++) free(r->levels[i].page);
  free(r->value);
  free(r->path);
  free(r);
}
