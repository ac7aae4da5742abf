// Memory that NCCL gives out, and its registration with a communicator.
#include <algorithm>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/group.h"
#include "engines/nccl/fake/log.h"

using namespace collbench::nccl_fake;

namespace {

constexpr std::size_t kWindowAlignment = 4096;

/// @return false unless all of it came from one ncclMemAlloc
bool is_nccl_memory(const Comm& comm, const void* memory, std::size_t bytes, const char* call) {
  if (memory != nullptr && bytes > 0 && cudaFakeReachable(memory, bytes, 1) != 0) return true;
  warn(comm.device(), "fake: %s: %p, %zu bytes, is not memory of ncclMemAlloc", call, memory, bytes);
  return false;
}

void* keep(Comm& comm, void* memory, std::size_t bytes) {
  const std::lock_guard lock(comm.mutex);
  void* handle = new char;
  comm.registered[memory] = bytes;
  comm.handles[handle] = memory;
  return handle;
}

int forget(void* comm_handle, void* handle) {
  const auto comm = find_comm(comm_handle);
  if (comm == nullptr) return kInvalidArgument;
  const std::lock_guard lock(comm->mutex);
  const auto at = comm->handles.find(handle);
  if (at == comm->handles.end()) {
    warn(comm->device(), "fake: deregistration of a handle that this communicator does not have");
    return kInvalidArgument;
  }
  comm->registered.erase(at->second);
  comm->handles.erase(at);
  delete static_cast<char*>(handle);
  return kSuccess;
}

}  // namespace

FAKE_EXPORT int ncclMemAlloc(void** memory, std::size_t bytes) {
  if (memory == nullptr || bytes == 0) return kInvalidArgument;
  if (const int result = cudaFakeAllocate(memory, bytes); result != 0) {
    warn(0, "Cuda failure %d", result);
    return kCudaError;
  }
  return kSuccess;
}

FAKE_EXPORT int ncclMemFree(void* memory) {
  if (memory == nullptr) return kSuccess;
  if (const int result = cudaFakeFree(memory); result != 0) {
    warn(0, "Cuda failure %d", result);
    return kCudaError;
  }
  return kSuccess;
}

FAKE_EXPORT int ncclCommRegister(void* handle, void* memory, std::size_t bytes, void** registration) {
  const auto comm = find_comm(handle);
  if (comm == nullptr || registration == nullptr) return kInvalidArgument;
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  if (!is_nccl_memory(*comm, memory, bytes, "ncclCommRegister")) return kInvalidArgument;
  *registration = keep(*comm, memory, bytes);
  return kSuccess;
}

FAKE_EXPORT int ncclCommDeregister(void* comm, void* registration) { return forget(comm, registration); }

/// All ranks together: it ends when the last has come, and fails on all when it fails on one.
FAKE_EXPORT int ncclCommWindowRegister(void* handle, void* memory, std::size_t bytes, void** window,
                                       int flags) {
  const auto comm = find_comm(handle);
  if (comm == nullptr || window == nullptr) return kInvalidArgument;
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  *window = nullptr;
  return submit_job([=] {
    return run_job(comm, [=] {
      int mine = is_nccl_memory(*comm, memory, bytes, "ncclCommWindowRegister") ? kSuccess : kInvalidArgument;
      if (reinterpret_cast<std::uintptr_t>(memory) % kWindowAlignment != 0 || bytes % kWindowAlignment != 0) {
        warn(comm->device(), "Window address %p must be suitably aligned, size %zu to 4096", memory, bytes);
        mine = kInvalidArgument;
      }
      if (flags < 0 || flags > 3) mine = kInvalidArgument;
      std::vector<int> all(static_cast<std::size_t>(comm->ranks));
      std::string problem;
      if (comm->mesh.gather(&mine, sizeof mine, all.data(), comm->aborted, problem) != Exchanged::kDone)
        return static_cast<int>(kRemoteError);
      if (const int worst = *std::max_element(all.begin(), all.end()); worst != kSuccess) return worst;
      *window = keep(*comm, memory, bytes);
      return static_cast<int>(kSuccess);
    });
  });
}

FAKE_EXPORT int ncclCommWindowDeregister(void* comm, void* window) { return forget(comm, window); }
