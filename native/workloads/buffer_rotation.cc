#include "workloads/buffer_rotation.h"

#include <algorithm>

namespace collbench {
namespace {

/// Alignment in bytes of positions in a buffer; for kernels it is as good as the alignment of the buffer
/// itself.
constexpr std::size_t kAlignment = 512;
/// Maximum memory in bytes for units of work that are verified together: kSpreadBytes if all units are to be
/// verified, otherwise kCachedBytes. With the smaller limit, verified samples take as long as others: within
/// 5 % over shm and sisci, 8 B to 256 KiB. (With 256 KiB, operations of 16 KiB took 15 % longer.)
constexpr std::size_t kSpreadBytes = 64 * 1024 * 1024, kCachedBytes = 64 * 1024;

}  // namespace

BufferRotation::BufferRotation(Engine& engine, std::size_t bytes, std::size_t element_bytes,
                               std::size_t max_bytes)
    : engine_(engine),
      misaligned_(engine.misalign_elements() * element_bytes),
      stride_((bytes + misaligned_ + kAlignment - 1) / kAlignment * kAlignment),
      widest_((max_bytes + misaligned_ + kAlignment - 1) / kAlignment * kAlignment) {
  const std::size_t rotation = engine.rotation_bytes();
  if (rotation > 0 && stride_ > 0) count_ = std::max<std::uint64_t>(1, rotation / stride_);
  if (rotation > 0 && widest_ > 0) fewest_ = std::max<std::uint64_t>(1, rotation / widest_);
  taken_ = count_;
  moves_on_ = rotation > 0;
}

std::uint32_t BufferRotation::verifiable(std::uint32_t units, bool all) const noexcept {
  if (widest_ == 0) return 1;
  const std::uint64_t room = (all ? kSpreadBytes : kCachedBytes) / widest_;
  const std::uint64_t buffers = moves_on_ ? std::min(room, fewest_) : room;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(buffers, 1, std::max(1U, units)));
}

bool BufferRotation::spread(std::uint32_t units) noexcept {
  if (moves_on_) return false;
  count_ = units;
  const bool grows = count_ > taken_;
  taken_ = std::max(taken_, count_);
  return grows;
}

std::byte* BufferRotation::take(int index, std::size_t bytes) {
  // A single position takes no more memory than needed, which matters at the largest sizes.
  const std::size_t all = count_ > 1 ? count_ * std::max<std::size_t>(stride_, 1) : bytes + misaligned_;
  return static_cast<std::byte*>(engine_.buffer(index, all)) + misaligned_;
}

}  // namespace collbench
