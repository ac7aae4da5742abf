#include "emulated/softmlx5/nic/gpu_copy.h"

#include <cstdint>
#include <mutex>

#include "core/loaded_cuda.h"
#include "core/spin.h"

namespace collbench::softmlx5 {
namespace {

constexpr int kSuccess = 0, kNotReady = 600;
constexpr int kMemoryType = 2, kDeviceOrdinal = 9;  // CUpointer_attribute
constexpr unsigned kDeviceMemory = 2;               // CUmemorytype
// CU_STREAM_NON_BLOCKING, to run beside a kernel that waits for this card
constexpr unsigned kNonBlocking = 1;

/// CUDA context and stream that all copies use. One is enough: a context can copy from and to memory of any
/// device of the process.
struct CopyStream {
  void* context = nullptr;
  void* stream = nullptr;
} copy_stream;

std::uint64_t number_of(const std::byte* address) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
}

bool open_copy_stream(const LoadedCuda& cuda, int device) {
  if (copy_stream.stream != nullptr) return true;
  void* before = nullptr;
  cuda.current(&before);
  const bool opened = cuda.retain(&copy_stream.context, device) == kSuccess &&
                      cuda.use(copy_stream.context) == kSuccess &&
                      cuda.stream_create(&copy_stream.stream, kNonBlocking) == kSuccess;
  cuda.use(before);
  return opened;
}

}  // namespace

bool is_gpu_memory(const std::byte* address) {
  const LoadedCuda* cuda = loaded_cuda();
  unsigned type = 0;
  return cuda != nullptr && cuda->pointer_attribute(&type, kMemoryType, number_of(address)) == kSuccess &&
         type == kDeviceMemory;
}

bool prepare_gpu_copies(const std::byte* address) {
  const LoadedCuda* cuda = loaded_cuda();
  if (cuda == nullptr) return false;
  int device = 0;
  if (cuda->pointer_attribute(&device, kDeviceOrdinal, number_of(address)) != kSuccess) device = 0;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return open_copy_stream(*cuda, device);
}

bool copy_gpu(std::byte* to, const std::byte* from, std::size_t bytes) {
  const LoadedCuda* cuda = loaded_cuda();
  if (cuda == nullptr || copy_stream.stream == nullptr) return false;
  void* before = nullptr;
  cuda->current(&before);
  if (before != copy_stream.context && cuda->use(copy_stream.context) != kSuccess) return false;
  int result = cuda->copy(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes,
                          copy_stream.stream);
  while (result == kSuccess && (result = cuda->stream_query(copy_stream.stream)) == kNotReady) {
    cpu_relax();
    result = kSuccess;
  }
  if (before != copy_stream.context) cuda->use(before);
  return result == kSuccess;
}

}  // namespace collbench::softmlx5
