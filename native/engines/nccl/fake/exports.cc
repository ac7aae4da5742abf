// NCCL's exported functions, except groups (group.cc).
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/registry.h"
#include "engines/nccl/fake/group.h"
#include "engines/nccl/fake/log.h"

using namespace collbench::nccl_fake;
using Comms = collbench::fakes::Registry<Comm>;

namespace {

constexpr char kIdTag[] = "collbench fake NCCL ";

struct UniqueId {
  char internal[128];
};

/// First fields of ncclConfig_t, which are the same in all NCCL releases.
struct Config {
  std::size_t size;
  unsigned magic, version;
  int blocking;
};

int parse_config(const Config* config, Comm& comm) {
  if (config == nullptr) return kSuccess;
  if (config->magic != 0xcafebeef || config->size < sizeof(Config)) {
    warn(0, "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
    return kInvalidArgument;
  }
  const bool defined = config->blocking == 0 || config->blocking == 1;
  if (!defined && (config->blocking != INT_MIN || version() < 21700)) {
    warn(0, "Invalid config blocking attribute value %d", config->blocking);
    return kInvalidArgument;
  }
  comm.blocking = config->blocking != 0;
  return kSuccess;
}

int initialize_rank(void** out, int ranks, const UniqueId& id, int rank, const Config* config,
                    const char* call) {
  *out = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    warn(0, "Invalid rank requested : %d/%d", rank, ranks);
    return kInvalidArgument;
  }
  auto comm = std::make_shared<Comm>();
  if (const int result = parse_config(config, *comm); result != kSuccess) return result;
  if (const int result = cudaFakeCurrentDevice(&comm->ordinal, &comm->physical); result != 0) {
    warn(0, "fake: no current CUDA context in this thread (%d)", result);
    return kCudaError;
  }
  comm->rank = rank;
  comm->ranks = ranks;
  *out = Comms::add(comm);
  return submit_job([comm, out, call, root = std::string(id.internal + sizeof kIdTag - 1)] {
    const int result = run_job(comm, [=] { return initialize(*comm, root, call); });
    if (result == kSuccess || result == kInProgress) return result;
    Comms::take(comm.get());
    *out = nullptr;
    return result;
  });
}

int end_comm(void* handle, bool by_force) {
  const auto comm = find_comm(handle);
  if (comm == nullptr) return kInvalidArgument;
  if (by_force) comm->aborted = true;
  {
    std::unique_lock lock(comm->mutex);
    // An abort, too, waits until all graphs with calls of this communicator are destroyed, which NCCL does.
    comm->changed.wait(lock, [&comm] { return comm->busy == 0 && comm->in_graphs == 0; });
    if (by_force) comm->deferred.clear();
  }
  if (by_force)
    comm->mesh.shut();
  else
    drain(*comm);
  comm->finished = true;
  Comms::take(handle);
  return kSuccess;
}

int cuda_result(int result) {
  if (result == 0) return kSuccess;
  warn(0, "Cuda failure %d", result);
  return kCudaError;
}

/// Checks that the whole memory range is within one allocation of ncclMemAlloc.
/// @returns kInvalidArgument if not, otherwise 0
int check_memory(const Comm& comm, const void* memory, std::size_t bytes) {
  if (cudaFakeReachable(memory, bytes, 1) != 0) return kSuccess;
  warn(comm.ordinal, "fake: %p, %zu bytes, is not memory of ncclMemAlloc", memory, bytes);
  return kInvalidArgument;
}

int keep_registration(Comm& comm, void** handle) {
  const std::lock_guard lock(comm.mutex);
  *handle = reinterpret_cast<void*>(comm.next_registration);
  comm.registrations.insert(comm.next_registration++);
  return kSuccess;
}

int forget_registration(void* comm_handle, void* handle) {
  const auto comm = find_comm(comm_handle);
  if (comm == nullptr) return kInvalidArgument;
  const std::lock_guard lock(comm->mutex);
  return comm->registrations.erase(reinterpret_cast<std::uintptr_t>(handle)) == 1 ? kSuccess
                                                                                  : kInvalidArgument;
}

}  // namespace

FAKE_EXPORT int ncclGetVersion(int* code) {
  *code = version();
  return kSuccess;
}

FAKE_EXPORT const char* ncclGetLastError(void* /*comm*/) { return last_error(); }

FAKE_EXPORT const char* ncclGetErrorString(int result) {
  constexpr const char* kTexts[] = {"no error",
                                    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                                    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
                                    "internal error - please report this issue to the NCCL developers",
                                    "invalid argument (run with NCCL_DEBUG=WARN for details)",
                                    "invalid usage (run with NCCL_DEBUG=WARN for details)",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  return result >= 0 && result < 8 ? kTexts[result] : "unknown result code";
}

FAKE_EXPORT int ncclGetUniqueId(UniqueId* id) {
  const std::string root = open_root();
  if (root.empty()) {
    warn(0, "Bootstrap : no socket interface found for NCCL_SOCKET_IFNAME");
    return kInvalidUsage;
  }
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "%s%s", kIdTag, root.c_str());
  return kSuccess;
}

FAKE_EXPORT int ncclCommInitRankConfig(void** comm, int ranks, UniqueId id, int rank, const Config* config) {
  return initialize_rank(comm, ranks, id, rank, config, "ncclCommInitRankConfig");
}

FAKE_EXPORT int ncclCommInitRank(void** comm, int ranks, UniqueId id, int rank) {
  return initialize_rank(comm, ranks, id, rank, nullptr, "ncclCommInitRank");
}

FAKE_EXPORT int ncclCommSplit(void* handle, int color, int key, void** out, const Config* config) {
  const auto parent = find_comm(handle);
  *out = nullptr;
  if (const int ready = require_ready(parent); ready != kSuccess) return ready;
  std::shared_ptr<Comm> child;
  if (color >= 0) {
    child = std::make_shared<Comm>();
    child->blocking = parent->blocking;
    if (const int result = parse_config(config, *child); result != kSuccess) return result;
    child->ordinal = parent->ordinal;
    child->physical = parent->physical;
    child->faults = parent->faults;
    child->network = parent->network;
    child->busy = 1;
    *out = Comms::add(child);
  }
  return submit_job([=] {
    return run_job(parent, [=] {
      const int result = split(*parent, color, key, child.get());
      if (child == nullptr) return result;
      if (result != kSuccess) fail(*child, result, "");
      const std::lock_guard lock(child->mutex);
      --child->busy;
      child->changed.notify_all();
      return result;
    });
  });
}

FAKE_EXPORT int ncclCommFinalize(void* handle) {
  const auto comm = find_comm(handle);
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  return run_job(comm, [comm] {
    drain(*comm);
    comm->finished = true;
    return kSuccess;
  });
}

FAKE_EXPORT int ncclCommDestroy(void* comm) { return end_comm(comm, false); }
FAKE_EXPORT int ncclCommAbort(void* comm) { return end_comm(comm, true); }

FAKE_EXPORT int ncclCommGetAsyncError(void* handle, int* error) {
  const auto comm = find_comm(handle);
  if (comm == nullptr) return kInvalidArgument;
  *error = poll_state(comm);
  return kSuccess;
}

FAKE_EXPORT int ncclAllReduce(const void* send, void* recv, std::size_t count, int dtype, int op, void* comm,
                              void* stream) {
  return submit(comm, stream, {NcclFunction::kAllReduce, send, recv, count, dtype, op});
}
FAKE_EXPORT int ncclAllGather(const void* send, void* recv, std::size_t send_count, int dtype, void* comm,
                              void* stream) {
  return submit(comm, stream, {NcclFunction::kAllGather, send, recv, send_count, dtype});
}
FAKE_EXPORT int ncclReduceScatter(const void* send, void* recv, std::size_t recv_count, int dtype, int op,
                                  void* comm, void* stream) {
  return submit(comm, stream, {NcclFunction::kReduceScatter, send, recv, recv_count, dtype, op});
}
FAKE_EXPORT int ncclBroadcast(const void* send, void* recv, std::size_t count, int dtype, int root,
                              void* comm, void* stream) {
  return submit(comm, stream, {NcclFunction::kBroadcast, send, recv, count, dtype, kSum, root});
}
FAKE_EXPORT int ncclReduce(const void* send, void* recv, std::size_t count, int dtype, int op, int root,
                           void* comm, void* stream) {
  return submit(comm, stream, {NcclFunction::kReduce, send, recv, count, dtype, op, root});
}
FAKE_EXPORT int ncclAlltoAll(const void* send, void* recv, std::size_t count, int dtype, void* comm,
                             void* stream) {
  return submit(comm, stream, {NcclFunction::kAlltoAll, send, recv, count, dtype});
}
FAKE_EXPORT int ncclGather(const void* send, void* recv, std::size_t count, int dtype, int root, void* comm,
                           void* stream) {
  return submit(comm, stream, {NcclFunction::kGather, send, recv, count, dtype, kSum, root});
}
FAKE_EXPORT int ncclScatter(const void* send, void* recv, std::size_t count, int dtype, int root, void* comm,
                            void* stream) {
  return submit(comm, stream, {NcclFunction::kScatter, send, recv, count, dtype, kSum, root});
}
FAKE_EXPORT int ncclSend(const void* data, std::size_t count, int dtype, int peer, void* comm, void* stream) {
  return submit(comm, stream, {NcclFunction::kSend, data, nullptr, count, dtype, kSum, peer});
}
FAKE_EXPORT int ncclRecv(void* data, std::size_t count, int dtype, int peer, void* comm, void* stream) {
  return submit(comm, stream, {NcclFunction::kRecv, nullptr, data, count, dtype, kSum, peer});
}

FAKE_EXPORT int ncclRedOpCreatePreMulSum(int* op, void* scalar, int dtype, int residence, void* handle) {
  const auto comm = find_comm(handle);
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  PremulSum made{dtype};
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
  return comm->ops.erase(op) == 1 ? kSuccess : kInvalidArgument;
}

FAKE_EXPORT int ncclMemAlloc(void** memory, std::size_t bytes) {
  return cuda_result(cudaFakeAllocate(memory, bytes));
}
FAKE_EXPORT int ncclMemFree(void* memory) { return cuda_result(cudaFakeFree(memory)); }

FAKE_EXPORT int ncclCommRegister(void* handle, void* memory, std::size_t bytes, void** registration) {
  const auto comm = find_comm(handle);
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  const int result = check_memory(*comm, memory, bytes);
  return result != kSuccess ? result : keep_registration(*comm, registration);
}
FAKE_EXPORT int ncclCommDeregister(void* comm, void* handle) { return forget_registration(comm, handle); }

/// Registers memory as a window. All ranks must call it together; it waits for all, and fails on all ranks if
/// it fails on one.
FAKE_EXPORT int ncclCommWindowRegister(void* handle, void* memory, std::size_t bytes, void** window,
                                       int /*flags*/) {
  constexpr std::size_t kWindowAlignment = 4096;
  const auto comm = find_comm(handle);
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  return submit_job([=] {
    return run_job(comm, [=] {
      int mine = check_memory(*comm, memory, bytes);
      if (bytes % kWindowAlignment != 0) {
        warn(comm->ordinal, "Window address %p must be suitably aligned, size %zu to 4096", memory, bytes);
        mine = kInvalidArgument;
      }
      std::vector<int> all(static_cast<std::size_t>(comm->ranks));
      if (comm->mesh.gather(&mine, sizeof mine, all.data(), comm->aborted) != ExchangeResult::kDone)
        return static_cast<int>(kRemoteError);
      const int worst = *std::max_element(all.begin(), all.end());
      return worst != kSuccess ? worst : keep_registration(*comm, window);
    });
  });
}
FAKE_EXPORT int ncclCommWindowDeregister(void* comm, void* handle) {
  return forget_registration(comm, handle);
}
