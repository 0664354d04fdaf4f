/* DecodeWav, EncodeWav: WAV files of 16-bit samples. */
#include "kernels_c/common/wav.h"

#include <stdlib.h>

#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* ---- Reading. Offsets have 64 bits: sizes of chunks are below 2^32. */

typedef struct wav_file {
  const uint8_t* bytes;
  uint64_t size, at;
  uint32_t rate;
  uint16_t channels, frame_bytes;
  bool has_samples;
  const uint8_t* samples; /* [frames, channels], not aligned */
  int64_t frames;
} wav_file;

/* A name of four characters; whatever is there is printable. */
typedef struct chunk_name {
  char text[4 * 4 + 1];
} chunk_name;

static chunk_name name_at(const wav_file* f, uint64_t at) {
  chunk_name name = {{0}};
  char* to = name.text;
  for (int i = 0; i < 4; i++) {
    uint8_t c = f->bytes[at + (uint64_t)i];
    to += snprintf(to, 5, c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
  }
  return name;
}

static int need(tfc_context* ctx, const wav_file* f, uint64_t bytes) {
  if (f->at <= f->size && bytes <= f->size - f->at) return TFC_OK;
  REFUSE(
      "Data too short when trying to read string: %llu bytes at offset %llu of a file of %llu "
      "bytes",
      (unsigned long long)bytes, (unsigned long long)f->at, (unsigned long long)f->size);
}

static int read_number(tfc_context* ctx, wav_file* f, unsigned bytes, uint32_t* value) {
  TFC_TRY(need(ctx, f, bytes));
  *value = 0;
  for (unsigned i = 0; i < bytes; i++) *value |= (uint32_t)f->bytes[f->at++] << 8 * i;
  return TFC_OK;
}

static int expect(tfc_context* ctx, wav_file* f, const char* text) {
  TFC_TRY(need(ctx, f, 4));
  if (memcmp(f->bytes + f->at, text, 4))
    REFUSE("Header mismatch: Expected %s but found %s", text, name_at(f, f->at).text);
  f->at += 4;
  return TFC_OK;
}

static bool is(const wav_file* f, const char* name) {
  return !memcmp(f->bytes + f->at, name, 4);
}

/* What may stand before the format: padding, and the chunks of broadcast files. */
static int skip_to_format(tfc_context* ctx, wav_file* f) {
  static const char* const skipped[] = {"JUNK", "bext", "iXML", "qlty",
                                        "mext", "levl", "link", "axml"};
  for (;;) {
    TFC_TRY(need(ctx, f, 4));
    if (is(f, "fmt ")) break;
    bool known = false;
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) known |= is(f, skipped[i]);
    if (!known) REFUSE("Unexpected field %s", name_at(f, f->at).text);
    uint32_t size;
    f->at += 4;
    TFC_TRY(read_number(ctx, f, 4, &size));
    TFC_TRY(need(ctx, f, size));
    f->at += size;
  }
  f->at += 4;
  return TFC_OK;
}

static int check_format(tfc_context* ctx, const wav_file* f, uint32_t bytes_per_second,
                        uint32_t bits) {
  if (bits != 16) REFUSE("Can only read 16-bit WAV files, but received %u", bits);
  const uint32_t frame_bytes = f->channels * (uint32_t)WAV_SAMPLE_BYTES;
  if (f->frame_bytes != frame_bytes)
    REFUSE("Bad bytes per sample in WAV header: Expected %u but got %u", frame_bytes,
           (unsigned)f->frame_bytes);
  const uint64_t expected = (uint64_t)frame_bytes * f->rate;
  if (bytes_per_second != expected)
    REFUSE(
        "Bad bytes per second in WAV header: Expected %llu but got %u (sample_rate=%u, "
        "bytes_per_sample=%u)",
        (unsigned long long)expected, bytes_per_second, f->rate, frame_bytes);
  return TFC_OK;
}

static int read_format(tfc_context* ctx, wav_file* f) {
  uint32_t size, format, channels, bytes_per_second, frame_bytes, bits;
  TFC_TRY(read_number(ctx, f, 4, &size));
  if (size != 16 && size != 18)
    REFUSE("Bad format chunk size for WAV: Expected 16 or 18, but got %u", size);
  TFC_TRY(read_number(ctx, f, 2, &format));
  if (format != 1) REFUSE("Bad audio format for WAV: Expected 1 (PCM), but got %u", format);
  TFC_TRY(read_number(ctx, f, 2, &channels));
  if (channels < 1)
    REFUSE("Bad number of channels for WAV: Expected at least 1, but got %u", channels);
  TFC_TRY(read_number(ctx, f, 4, &f->rate));
  TFC_TRY(read_number(ctx, f, 4, &bytes_per_second));
  TFC_TRY(read_number(ctx, f, 2, &frame_bytes));
  TFC_TRY(read_number(ctx, f, 2, &bits));
  f->channels = (uint16_t)channels;
  f->frame_bytes = (uint16_t)frame_bytes;
  TFC_TRY(check_format(ctx, f, bytes_per_second, bits));
  f->at += size - 16; /* the size of an extension, which PCM does not have */
  return TFC_OK;
}

/* Chunks other than the samples may go on behind the end of the file. */
static int read_chunk(tfc_context* ctx, wav_file* f) {
  TFC_TRY(need(ctx, f, 4));
  const uint64_t name = f->at;
  const bool samples = is(f, "data");
  uint32_t size;
  f->at += 4;
  TFC_TRY(read_number(ctx, f, 4, &size));
  if (size > INT32_MAX)
    REFUSE("WAV data chunk '%s' is too large: %u bytes, but the limit is %d", name_at(f, name).text,
           size, INT32_MAX);
  if (!samples) {
    f->at += size;
    return TFC_OK;
  }
  if (f->has_samples) REFUSE("More than one data chunk found in WAV");
  f->has_samples = true;
  f->frames = size / f->frame_bytes;
  const uint64_t used = (uint64_t)f->frames * f->frame_bytes;
  TFC_TRY(need(ctx, f, used));
  f->samples = f->bytes + f->at;
  f->at += used; /* as TensorFlow, which does not skip the rest of a frame */
  return TFC_OK;
}

static int read_file(tfc_context* ctx, wav_file* f) {
  uint32_t size_of_file; /* often wrong */
  TFC_TRY(expect(ctx, f, "RIFF"));
  TFC_TRY(read_number(ctx, f, 4, &size_of_file));
  TFC_TRY(expect(ctx, f, "WAVE"));
  TFC_TRY(skip_to_format(ctx, f));
  TFC_TRY(read_format(ctx, f));
  while (f->at < f->size) TFC_TRY(read_chunk(ctx, f));
  if (!f->has_samples) REFUSE("No data chunk found in WAV");
  return TFC_OK;
}

/* ---- DecodeWav. */

typedef struct wav_size_attrs {
  int64_t channels, samples; /* -1: those of the file */
} wav_size_attrs;

typedef struct wav_samples {
  const wav_file* file;
  int64_t channels;
  float* out; /* [frames, channels] */
} wav_samples;

static inline float sample_at(const uint8_t* bytes) {
  return (float)(int16_t)(uint16_t)(bytes[0] | bytes[1] << 8) * (1.0f / 32768);
}

static void decode_range(void* arg, int64_t begin, int64_t end) {
  const wav_samples* s = arg;
  const wav_file* f = s->file;
  const int64_t known = TFC_MAX(begin, TFC_MIN(end, f->frames));
  float* to = s->out + begin * s->channels;
  const uint8_t* from = f->samples + TFC_MIN(begin, f->frames) * f->frame_bytes;
  if (s->channels == f->channels)
    for (int64_t n = (known - begin) * s->channels; n > 0; n--, from += WAV_SAMPLE_BYTES)
      *to++ = sample_at(from);
  else
    for (int64_t i = begin; i < known; i++, from += f->frame_bytes)
      for (int64_t k = 0; k < s->channels; k++)
        *to++ = sample_at(from + TFC_MIN(k, f->channels - 1) * WAV_SAMPLE_BYTES);
  memset(to, 0, (size_t)((end - known) * s->channels) * sizeof *to);
}

static int decode_wav(tfc_context* ctx) {
  const wav_size_attrs* a = ctx->state;
  const tfc_tensor* contents = ctx->inputs[0];
  if (contents->rank)
    REFUSE("contents must be scalar, got shape %s", tfc_shape_text(contents).text);
  const tfc_string* s = contents->data;
  if (s->size > INT32_MAX) REFUSE("WAV contents are too large for int: %zu", s->size);
  wav_file f = {.bytes = (const uint8_t*)s->data, .size = s->size};
  TFC_TRY(read_file(ctx, &f));
  if (a->channels < -1) REFUSE("desired_channels must be >= -1, got %lld", (long long)a->channels);
  if (a->samples < -1) REFUSE("desired_samples must be >= -1, got %lld", (long long)a->samples);
  wav_samples w = {&f, a->channels < 0 ? f.channels : a->channels, NULL};
  const int64_t dims[] = {a->samples < 0 ? f.frames : a->samples, w.channels};
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  TFC_TRY(tfc_output_scalar(ctx, 1));
  *(int32_t*)ctx->outputs[1].data = (int32_t)f.rate; /* the bytes of a second fit into 32 bits */
  if (!ctx->outputs[0].n) return TFC_OK;
  w.out = ctx->outputs[0].data;
  tfc_parallel_for(ctx, dims[0], 0.4 * (double)w.channels, decode_range, &w);
  return TFC_OK;
}

static int read_attrs(tfc_construction* c, void* state) {
  wav_size_attrs* a = state;
  TFC_TRY(tfc_attr_int32(c, "desired_channels", &a->channels));
  return tfc_attr_int32(c, "desired_samples", &a->samples);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(wav_size_attrs), read_attrs, state);
}

/* ---- EncodeWav. */

static int encode_wav(tfc_context* ctx) {
  const tfc_tensor *audio = ctx->inputs[0], *rate_input = ctx->inputs[1];
  if (audio->rank != 2) REFUSE("audio must be 2-dimensional%s", tfc_shape_text(audio).text);
  if (rate_input->rank)
    REFUSE("Input sample_rate should be a scalar tensor, got %s instead.",
           tfc_shape_text(rate_input).text);
  const int64_t rate = tfc_index_at(rate_input, 0), frames = audio->dims[0];
  const int64_t channels = audio->dims[1];
  if (audio->n >= INT32_MAX)
    REFUSE("Cannot encode audio with >= max int32 elements: %s", tfc_shape_text(audio).text);
  if (rate <= 0) REFUSE("sample_rate must be in (0, 2^32), got: %lld", (long long)rate);
  if (channels == 0 || channels > UINT16_MAX)
    REFUSE("num_channels must be in (0, 2^16), got: %lld", (long long)channels);
  if (!wav_fits(frames, channels))
    REFUSE("Provided channels and frames cannot be encoded as a WAV: %s",
           tfc_shape_text(audio).text);
  const size_t size = wav_size(frames, channels);
  char* file = tfc_scratch(ctx, size);
  if (!file) return TFC_RESOURCE_EXHAUSTED;
  char* samples = wav_put_header(file, frames, (uint32_t)channels, (uint32_t)rate);
  wav_put_samples(samples, audio->data, audio->n);
  TFC_TRY(tfc_output_scalar(ctx, 0));
  return tfc_string_set(ctx, &ctx->outputs[0], 0, file, size);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DecodeWav", "", decode_wav, TFC_STATE(create)),
    TFC_ROW("EncodeWav", "", encode_wav),
};
TFC_REGISTER_KERNELS(kernels);
