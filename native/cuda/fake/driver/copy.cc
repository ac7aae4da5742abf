// Copies and fills. Host memory that is not pinned is staged, as the driver does: the copy to the device has
// read it when the call returns, the copy to the host is complete when the call returns.
#include <cstring>
#include <memory>
#include <vector>

#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"

using namespace collbench::cuda_fake;

namespace {

bool is_pinned(const void* memory, std::size_t bytes) {
  Allocation found;
  return memory_table().find(memory, bytes, &found) && found.kind == MemoryKind::kPinned;
}

/// Checked when the call is made and again when it runs: the memory may be gone by then.
int check_device_range(std::uint64_t address, std::size_t bytes, int otherwise) {
  return memory_table().find(reinterpret_cast<const void*>(address), bytes) ? kSuccess : otherwise;
}

}  // namespace

FAKE_EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (bytes == 0) return kSuccess;
  if (from == nullptr) return kInvalidValue;
  if (const int result = check_device_range(to, bytes, kInvalidValue); result != kSuccess) return result;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!is_pinned(from, bytes)) {
    const auto* begin = static_cast<const std::byte*>(from);
    staged = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
  }
  return stream->enqueue([=] {
    if (const int result = check_device_range(to, bytes, kIllegalAddress); result != kSuccess) return result;
    std::memcpy(reinterpret_cast<void*>(to), staged != nullptr ? staged->data() : from, bytes);
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (bytes == 0) return kSuccess;
  if (to == nullptr) return kInvalidValue;
  if (const int result = check_device_range(from, bytes, kInvalidValue); result != kSuccess) return result;
  const int queued = stream->enqueue([=] {
    if (const int result = check_device_range(from, bytes, kIllegalAddress); result != kSuccess)
      return result;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return static_cast<int>(kSuccess);
  });
  if (queued != kSuccess || is_pinned(to, bytes) || stream->capturing()) return queued;
  stream->wait();
  return stream->device->error;
}

FAKE_EXPORT int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (bytes == 0) return kSuccess;
  if (const int result = check_device_range(to, bytes, kInvalidValue); result != kSuccess) return result;
  return stream->enqueue([=] {
    if (const int result = check_device_range(to, bytes, kIllegalAddress); result != kSuccess) return result;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return static_cast<int>(kSuccess);
  });
}
