#include "workloads/places.h"

#include <algorithm>

namespace collbench {
namespace {

/// Places start on it: as well aligned as the buffer itself as far as kernels care.
constexpr std::size_t kAlignment = 512;

}  // namespace

Places::Places(Engine& engine, std::size_t bytes, std::size_t element_bytes)
    : engine_(engine),
      misaligned_(engine.misalign_elements() * element_bytes),
      stride_((bytes + misaligned_ + kAlignment - 1) / kAlignment * kAlignment) {
  const std::size_t rotation = engine.rotation_bytes();
  if (rotation > 0 && stride_ > 0) count_ = std::max<std::uint64_t>(1, rotation / stride_);
}

std::byte* Places::take(int index, std::size_t bytes) {
  // One place only: no more memory than is needed, which matters at the largest sizes.
  const std::size_t all = count_ > 1 ? count_ * std::max<std::size_t>(stride_, 1) : bytes + misaligned_;
  return static_cast<std::byte*>(engine_.buffer(index, all)) + misaligned_;
}

}  // namespace collbench
