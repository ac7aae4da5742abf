// NVSHMEM's own collectives on a stream.
namespace {

#define COLLBENCH_REDUCE(name, type)                                                                    \
  {                                                                                                     \
    auto* to = static_cast<type*>(call.recv);                                                           \
    const auto* from = static_cast<const type*>(call.send);                                             \
    const auto stream = static_cast<cudaStream_t>(call.stream);                                         \
    const bool all = call.collective == kCollbenchNvshmemAllreduce;                                     \
    switch (call.op) {                                                                                  \
      case kCollbenchNvshmemProd:                                                                       \
        return all ? nvshmemx_##name##_prod_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, call.count,  \
                                                             stream)                                    \
                   : nvshmemx_##name##_prod_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, to, from,       \
                                                                    call.count, stream);                \
      case kCollbenchNvshmemMin:                                                                        \
        return all ? nvshmemx_##name##_min_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, call.count,   \
                                                            stream)                                     \
                   : nvshmemx_##name##_min_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, to, from,        \
                                                                   call.count, stream);                 \
      case kCollbenchNvshmemMax:                                                                        \
        return all ? nvshmemx_##name##_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, call.count,   \
                                                            stream)                                     \
                   : nvshmemx_##name##_max_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, to, from,        \
                                                                   call.count, stream);                 \
      default:                                                                                          \
        return all ? nvshmemx_##name##_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, to, from, call.count,   \
                                                            stream)                                     \
                   : nvshmemx_##name##_sum_reducescatter_on_stream(NVSHMEM_TEAM_WORLD, to, from,        \
                                                                   call.count, stream);                 \
    }                                                                                                   \
  }

int vendor_reduction(const CollbenchNvshmemCall& call) {
  switch (call.type) {
    case kCollbenchNvshmemFloat16:
      COLLBENCH_REDUCE(half, __half)
    case kCollbenchNvshmemBfloat16:
      COLLBENCH_REDUCE(bfloat16, __nv_bfloat16)
    case kCollbenchNvshmemFloat64:
      COLLBENCH_REDUCE(double, double)
    case kCollbenchNvshmemInt32:
      COLLBENCH_REDUCE(int32, int32_t)
    case kCollbenchNvshmemInt64:
      COLLBENCH_REDUCE(int64, int64_t)
    default:
      COLLBENCH_REDUCE(float, float)
  }
}
#undef COLLBENCH_REDUCE

int vendor_call(const CollbenchNvshmemCall& call) {
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const size_t bytes = call.count * call.element_bytes;
  auto* const to = static_cast<char*>(call.recv);
  const auto* const from = static_cast<const char*>(call.send);
  switch (call.collective) {
    case kCollbenchNvshmemAllgather:
      return nvshmemx_char_fcollect_on_stream(NVSHMEM_TEAM_WORLD, to, from, bytes, stream);
    case kCollbenchNvshmemBroadcast:
      return nvshmemx_char_broadcast_on_stream(NVSHMEM_TEAM_WORLD, to, from, bytes, call.root, stream);
    case kCollbenchNvshmemAlltoall:
      return nvshmemx_char_alltoall_on_stream(NVSHMEM_TEAM_WORLD, to, from, bytes, stream);
    default:
      return vendor_reduction(call);
  }
}

}  // namespace
