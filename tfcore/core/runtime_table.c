/* The table through which the Cython modules use the runtime. */
#include "device/device.h"
#include "registry/context.h"
#include "rendezvous/rendezvous.h"
#include "step/loop.h"

const tfc_runtime* tfc_runtime_table(void) {
  static const tfc_runtime table = {
      .allocate = tfc_allocate,
      .memory_stats = tfc_memory_stats_get,
      .memory_set_limit = tfc_memory_set_limit,
      .memory_trim = tfc_memory_trim,
      .memory_set_poison = tfc_memory_set_poison,
      .tensor_new = tfc_tensor_new,
      .tensor_copy = tfc_tensor_copy,
      .tensor_read = tfc_tensor_read,
      .tensor_clone = tfc_tensor_clone,
      .string_assign = tfc_string_assign,
      .pool_threads = tfc_pool_threads,
      .pool_reserve = tfc_pool_reserve,
      .pool_set_grain = tfc_pool_set_grain,
      .team_open = tfc_team_open,
      .team_close = tfc_team_close,
      .team_wake = tfc_team_wake,
      .pool_wake = tfc_pool_wake,
      .pool_computing = tfc_pool_computing,
      .variable_new = tfc_variable_new,
      .variable_uninitialized = tfc_variable_uninitialized,
      .variable_unref = tfc_variable_unref,
      .variable_read = tfc_variable_read,
      .null_kernel = &tfc_null_kernel,
      .checked_compute = tfc_checked_compute,
      .copying_compute = tfc_copying_compute,
      .steps = &tfc_steps_table,
      .spawn = tfc_spawn,
      .api = tfc_api_table,
      .memory_set_source = tfc_memory_set_source,
      .memory_source_stats = tfc_memory_source_stats,
      .set_idle = tfc_set_idle,
      .rendezvous = &tfc_rendezvous_table,
      .transfer_kernels = tfc_transfer_kernels,
      .parallel_for = tfc_pool_parallel_for,
      .loop_kernel = &tfc_loop_kernel,
      .loop_free = tfc_loop_free,
  };
  return &table;
}
