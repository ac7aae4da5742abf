// Device memory of other processes: each allocation has an unnamed file, which others open through its owner.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "cuda/fake/driver/memory.h"
#include "cuda/fake/fake_cuda.h"

namespace collbench::cuda_fake {
namespace {

/// Content of the fake's CUipcMemHandle: where another process finds the memory.
struct IpcMemHandle {
  struct HandleContent {
    std::int64_t process;
    int file;
    std::uint64_t bytes;
  } note;
  char rest[64 - sizeof(HandleContent)];
};

}  // namespace
}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

FAKE_EXPORT int cuIpcGetMemHandle(IpcMemHandle* handle, std::uint64_t address) {
  Allocation found;
  if (!find_memory(reinterpret_cast<const void*>(address), 0, &found) || found.file < 0) return kInvalidValue;
  *handle = {{getpid(), found.file, found.bytes}, {}};
  return kSuccess;
}

/// Maps memory of another process. Like the driver, it fails in the process that owns the memory.
FAKE_EXPORT int cuIpcOpenMemHandle_v2(std::uint64_t* address, IpcMemHandle handle, unsigned /*flags*/) {
  const auto& [process, file, bytes] = handle.note;
  if (process == getpid()) return kInvalidValue;
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(file);
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return kInvalidValue;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
  if (memory == MAP_FAILED) return kOutOfMemory;
  *address = reinterpret_cast<std::uint64_t>(memory);
  const int result = cudaFakeAdopt(memory, bytes);
  if (result != kSuccess) munmap(memory, bytes);
  return result;
}

FAKE_EXPORT int cuIpcCloseMemHandle(std::uint64_t address) {
  void* const memory = reinterpret_cast<void*>(address);
  Allocation found;
  if (!find_memory(memory, 0, &found)) return kInvalidValue;
  if (const int result = cudaFakeForget(memory); result != kSuccess) return result;
  munmap(memory, found.bytes);
  return kSuccess;
}
