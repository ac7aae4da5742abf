#include "engines/nvshmem/buffers.h"

namespace collbench::nvshmem {
namespace {
constexpr std::size_t kGranularity = std::size_t{2} << 20;  // Size of GPU pages.
}  // namespace

void* NvshmemBuffers::get(int index, std::size_t bytes) {
  SymmetricBuffer& buffer = buffers_.at(static_cast<std::size_t>(index));
  bytes = (bytes + 16 + kGranularity - 1) / kGranularity * kGranularity;
  if (buffer.bytes >= bytes) return buffer.memory;
  kernels_.free(buffer.memory);  // The old memory is freed first, because both together might not fit.
  buffer = SymmetricBuffer();
  buffer = {kernels_.allocate(bytes), bytes};
  return buffer.memory;
}

void NvshmemBuffers::release() {
  for (SymmetricBuffer& buffer : buffers_) {
    kernels_.free(buffer.memory);
    buffer = SymmetricBuffer();
  }
}

}  // namespace collbench::nvshmem
