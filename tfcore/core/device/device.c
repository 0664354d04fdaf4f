/* The calls of kernels that run on a device with memory of its own (entries of tfc_api). */
#include "device/device.h"

#include <string.h>

#include "registry/context.h"

static int no_device(tfc_context* ctx) {
  return tfc_context_error(ctx, TFC_INTERNAL,
                           "the kernel puts work into a device's queue, but runs on the CPU");
}

int tfc_launch_on_device(tfc_context* ctx, const tfc_function* function, const uint32_t grid[3],
                         const uint32_t block[3], uint32_t shared, const void* params,
                         size_t bytes) {
  tfc_device* d = tfc_device_of(ctx);
  return d ? d->launch(d, ctx, function, grid, block, shared, params, bytes) : no_device(ctx);
}

int tfc_fill_on_device(tfc_context* ctx, void* to, int byte, size_t bytes) {
  tfc_device* d = tfc_device_of(ctx);
  if (!d) return no_device(ctx);
  return bytes ? d->fill(d, ctx, to, byte, bytes) : TFC_OK;
}

int tfc_copy_on_device(tfc_context* ctx, void* to, const void* from, size_t bytes) {
  tfc_device* d = tfc_device_of(ctx);
  if (!d) return no_device(ctx);
  return bytes ? d->copy(d, ctx, to, from, bytes) : TFC_OK;
}

int tfc_upload_to_device(tfc_context* ctx, void* to, const void* from, size_t bytes) {
  tfc_device* d = tfc_device_of(ctx);
  if (!d) return no_device(ctx);
  return bytes ? d->upload(d, ctx, to, from, bytes) : TFC_OK;
}

void* tfc_device_report(tfc_context* ctx, size_t bytes, tfc_explain_fn explain,
                        const void* argument, size_t argument_bytes) {
  tfc_device* d = tfc_device_of(ctx);
  if (!d) {
    no_device(ctx);
    return NULL;
  }
  return d->report_to(d, ctx, bytes, explain, argument, argument_bytes);
}

void* tfc_device_queue(tfc_context* ctx) {
  tfc_device* d = tfc_device_of(ctx);
  if (d && d->graphs) d->graphs->break_recording(d); /* what the kernel puts there is not noted */
  return d ? d->queue : NULL;
}

int tfc_copy_in_place(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  tfc_device* d = from->buffer ? from->buffer->device : NULL;
  to->dtype = from->dtype;
  if (!d) {
    return tfc_tensor_copy(to, from) ? TFC_OK
                                     : tfc_out_of_memory(ctx, from->rank, from->dims, from->dtype);
  }
  if (!tfc_tensor_new_on(d, to, from->rank, from->dims))
    return tfc_out_of_memory(ctx, from->rank, from->dims, from->dtype);
  size_t bytes = (size_t)from->n * tfc_dtype_size(from->dtype);
  int code = bytes ? d->copy(d, ctx, to->data, from->data, bytes) : TFC_OK;
  if (code) tfc_tensor_clear(to);
  return code;
}

bool tfc_tensor_read(tfc_tensor* to, const tfc_tensor* from) {
  tfc_device* d = from->buffer ? from->buffer->device : NULL;
  return d ? d->read(d, to, from) : tfc_tensor_copy(to, from);
}

bool tfc_tensor_clone(tfc_tensor* to, const tfc_tensor* from) {
  tfc_device* d = from->buffer ? from->buffer->device : NULL;
  return d ? d->clone(d, to, from) : tfc_tensor_copy(to, from);
}

bool tfc_tensor_move(tfc_tensor* t, tfc_device* to) {
  tfc_tensor on_host, moved = {.buffer = NULL};
  if (!tfc_tensor_read(&on_host, t)) return false;
  bool ok = true;
  if (to) {
    ok = to->write(to, &moved, &on_host);
    tfc_tensor_clear(&on_host);
  } else {
    moved = on_host;
  }
  if (!ok) return false;
  tfc_tensor_clear(t);
  *t = moved;
  return true;
}

void tfc_finish_devices(tfc_step* step) {
  for (tfc_share* s = step->shares; s; s = s->next) s->device->finish(s, step);
}

void tfc_leave_devices(tfc_step* step) {
  for (tfc_share *s = step->shares, *next; s; s = next) {
    next = s->next;
    s->device->leave(s, step);
  }
  step->shares = NULL;
}
