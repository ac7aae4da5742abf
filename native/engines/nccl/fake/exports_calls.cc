// Collectives, sends and receives, and own reductions.
#include <cstring>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/group.h"
#include "engines/nccl/fake/log.h"

using namespace collbench::nccl_fake;

FAKE_EXPORT int ncclAllReduce(const void* send, void* recv, std::size_t count, int dtype, int op, void* comm,
                              void* stream) {
  return submit(comm, stream, {Func::kAllReduce, send, recv, count, dtype, op, 0, {}});
}
FAKE_EXPORT int ncclAllGather(const void* send, void* recv, std::size_t send_count, int dtype, void* comm,
                              void* stream) {
  return submit(comm, stream, {Func::kAllGather, send, recv, send_count, dtype, kSum, 0, {}});
}
FAKE_EXPORT int ncclReduceScatter(const void* send, void* recv, std::size_t recv_count, int dtype, int op,
                                  void* comm, void* stream) {
  return submit(comm, stream, {Func::kReduceScatter, send, recv, recv_count, dtype, op, 0, {}});
}
FAKE_EXPORT int ncclBroadcast(const void* send, void* recv, std::size_t count, int dtype, int root,
                              void* comm, void* stream) {
  return submit(comm, stream, {Func::kBroadcast, send, recv, count, dtype, kSum, root, {}});
}
FAKE_EXPORT int ncclReduce(const void* send, void* recv, std::size_t count, int dtype, int op, int root,
                           void* comm, void* stream) {
  return submit(comm, stream, {Func::kReduce, send, recv, count, dtype, op, root, {}});
}
FAKE_EXPORT int ncclAlltoAll(const void* send, void* recv, std::size_t count, int dtype, void* comm,
                             void* stream) {
  return submit(comm, stream, {Func::kAlltoAll, send, recv, count, dtype, kSum, 0, {}});
}
FAKE_EXPORT int ncclGather(const void* send, void* recv, std::size_t count, int dtype, int root, void* comm,
                           void* stream) {
  return submit(comm, stream, {Func::kGather, send, recv, count, dtype, kSum, root, {}});
}
FAKE_EXPORT int ncclScatter(const void* send, void* recv, std::size_t count, int dtype, int root, void* comm,
                            void* stream) {
  return submit(comm, stream, {Func::kScatter, send, recv, count, dtype, kSum, root, {}});
}
FAKE_EXPORT int ncclSend(const void* data, std::size_t count, int dtype, int peer, void* comm, void* stream) {
  return submit(comm, stream, {Func::kSend, data, nullptr, count, dtype, kSum, peer, {}});
}
FAKE_EXPORT int ncclRecv(void* data, std::size_t count, int dtype, int peer, void* comm, void* stream) {
  return submit(comm, stream, {Func::kRecv, nullptr, data, count, dtype, kSum, peer, {}});
}

FAKE_EXPORT int ncclRedOpCreatePreMulSum(int* op, void* scalar, int dtype, int residence, void* handle) {
  const auto comm = find_comm(handle);
  if (comm == nullptr || op == nullptr || scalar == nullptr || dtype < 0 || dtype >= kTypeCount ||
      residence < 0 || residence > 1)
    return kInvalidArgument;
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  PremulSum made;
  made.dtype = dtype;
  if (residence == 0)
    made.on_device = scalar;
  else
    std::memcpy(made.scalar, scalar, bytes_of_type(dtype));
  const std::lock_guard lock(comm->mutex);
  *op = comm->next_op++;
  comm->ops[*op] = made;
  return kSuccess;
}

FAKE_EXPORT int ncclRedOpDestroy(int op, void* handle) {
  const auto comm = find_comm(handle);
  if (comm == nullptr) return kInvalidArgument;
  const std::lock_guard lock(comm->mutex);
  if (comm->ops.erase(op) == 1) return kSuccess;
  warn(comm->device(), "ncclRedOpDestroy : operator %d unknown to this communicator", op);
  return kInvalidArgument;
}
