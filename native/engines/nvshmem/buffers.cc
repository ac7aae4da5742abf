#include "engines/nvshmem/buffers.h"

namespace collbench::nvshmem {
namespace {
constexpr std::size_t kGranularity = std::size_t{2} << 20;  // of GPU pages
}  // namespace

void* Buffers::get(int index, std::size_t bytes) {
  Buffer& buffer = buffers_.at(static_cast<std::size_t>(index));
  bytes = (bytes + 16 + kGranularity - 1) / kGranularity * kGranularity;
  if (buffer.bytes >= bytes) return buffer.memory;
  kernels_.free(buffer.memory);  // the old one goes first: both together might not fit
  buffer = Buffer();
  buffer = {kernels_.allocate(bytes), bytes};
  return buffer.memory;
}

void Buffers::release() {
  for (Buffer& buffer : buffers_) {
    kernels_.free(buffer.memory);
    buffer = Buffer();
  }
}

}  // namespace collbench::nvshmem
