/* Reads damaged checkpoints: checkpoint_files FOLDER FIRST-SEED ROUNDS FILE...
 *
 * Each round changes a few bytes of one of the files (an index, a table of the first format, or
 * data, whose prefixes must be those of complete checkpoints), mostly repairs the checksums of the
 * blocks, so that the change gets past them, and reads everything that the checkpoint then claims
 * to have. Built with AddressSanitizer by test_checkpoint_files.py. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/bundle.h"
#include "kernels_c/common/crc.h"
#include "tests/fuzz/damage.h"

/* Computes the checksums of all blocks again, at their places in the undamaged file. */
static void repair(bytes b, const char* original) {
  ckpt_table t;
  ckpt_status status = {0};
  if (ckpt_table_open(&t, original, &status)) return;
  for (int64_t i = -1; i < t.index.n; i++) {
    uint64_t offset = 0, size = 0, unused;
    bytes footer = {b.data + t.size - 48, 40};
    wire_reader r = i < 0 ? wire_of(footer.data, footer.size)
                          : wire_of(t.index.pairs[i].value, t.index.pairs[i].value_size);
    if (i < 0) wire_varint(&r, &unused), wire_varint(&r, &unused);
    if (!wire_varint(&r, &offset) || !wire_varint(&r, &size)) continue;
    if (offset + size + 5 > b.size || offset > b.size || size > b.size) continue;
    uint32_t crc = tfc_crc_mask(tfc_crc(0, b.data + offset, size + 1));
    memcpy(b.data + offset + size + 1, &crc, 4);
  }
  ckpt_table_close(&t);
}

static void damage(bytes* b) {
  static const uint8_t telling[] = {0, 1, 2, 7, 8, 0x7f, 0x80, 0xff};
  for (uint64_t n = 1 + draw(4); n && b->size; n--) {
    size_t at = draw(b->size), length = 1 + draw(8);
    length = TFC_MIN(length, b->size - at);
    switch (draw(6)) {
      case 0: b->data[at] ^= (char)(1 << draw(8)); break;
      case 1: b->data[at] = (char)telling[draw(sizeof telling)]; break;
      case 2: memset(b->data + at, draw(2) ? 0xff : 0, length); break;
      case 3: memmove(b->data + draw(b->size - length + 1), b->data + at, length); break;
      case 4: b->data[at] = (char)(b->data[at] + (draw(2) ? 1 : -1)); break;
      default:
        if (draw(8) == 0) b->size = at; /* the file ends early */
    }
  }
}

static int keep_string(void* arg, int64_t i, const char* text, size_t size) {
  char** strings = arg;
  free(strings[i]);
  strings[i] = malloc(size);
  if (size) memcpy(strings[i], text, size);
  return 0;
}

/* A request for a box of a tensor, with memory of exactly its size; false if it is too large. */
static bool make_request(const ckpt_entry* e, ckpt_box box, ckpt_request* q) {
  int64_t n = ckpt_box_count(&box);
  size_t size = tfc_dtype_size(e->dtype);
  if (n < 0 || n > 1 << 20) return false;
  *q = (ckpt_request){.entry = e, .box = box, .data = malloc((size_t)n * (size ? size : 1))};
  q->set_string = keep_string;
  q->arg = calloc((size_t)n + 1, sizeof(char*));
  return true;
}

/* Reads two boxes of a tensor at once, which may have stored pieces in common. */
static void read_boxes(ckpt_reader* r, const ckpt_entry* e, ckpt_box one, ckpt_box other) {
  ckpt_status status = {0};
  ckpt_request requests[2];
  int n = 0;
  if (make_request(e, one, &requests[n])) n++;
  if (make_request(e, other, &requests[n])) n++;
  ckpt_reader_read(r, requests, n, NULL, NULL, &status);
  for (int k = 0; k < n; k++) {
    char** strings = requests[k].arg;
    for (int64_t i = 0; i < ckpt_box_count(&requests[k].box); i++) free(strings[i]);
    free(strings);
    free(requests[k].data);
  }
}

static ckpt_box draw_box(ckpt_box box) {
  for (int d = 0; d < box.rank; d++)
    if (box.dims[d] > 1) {
      box.start[d] = (int64_t)draw((uint64_t)TFC_MIN(box.dims[d], 1 << 20));
      box.dims[d] = 1 + (int64_t)draw((uint64_t)TFC_MIN(box.dims[d] - box.start[d], 1 << 20));
    }
  return box;
}

static void read_all(const char* prefix, long* opened) {
  ckpt_reader r;
  ckpt_status status = {0};
  if (ckpt_reader_open(&r, prefix, &status)) return;
  ++*opened;
  for (int64_t i = 0; i < r.index.n; i++) {
    const ckpt_entry* e = &r.index.entries[i];
    const ckpt_box box = ckpt_whole_box(e->rank, e->dims);
    read_boxes(&r, e, box, draw_box(box));
    read_boxes(&r, e, draw_box(box), draw_box(box));
  }
  ckpt_reader_close(&r);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  uint64_t first = strtoull(argv[2], NULL, 10);
  long rounds = atol(argv[3]), opened = 0;
  for (long round = 0; round < rounds; round++) {
    state = (first + (uint64_t)round) * 0x9e3779b97f4a7c15ull | 1;
    for (int i = 0; i < 8; i++) draw(2);
    const char* original = argv[4 + draw((uint64_t)argc - 4)];
    char* name = ckpt_format("%s/%s", argv[1], strrchr(original, '/') + 1);
    char* prefix = strdup(name);
    char* end = strrchr(prefix, '.');
    if (end) *end = '\0';
    bytes whole = read_file(original), b = whole;
    damage(&b);
    if (draw(4)) repair(b, original);
    write_file(name, b);
    read_all(prefix, &opened);
    write_file(name, whole);
    free(whole.data);
    free(name);
    free(prefix);
  }
  printf("rounds %ld opened %ld\n", rounds, opened);
  return 0;
}
