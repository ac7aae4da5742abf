#pragma once
// Atomic operations on memory of this process. The card is the only one that changes such words in GPU
// memory; in host memory the processor's own atomics are used.
#include <array>
#include <cstddef>
#include <cstdint>

#include "softmlx5/include/mlx5_formats.h"

namespace collbench::softmlx5 {

struct AtomicOperation {
  std::uint8_t opcode = 0, opmod = 0;
  /// Plain: {swap or add, compare}. Masked: {swap, compare, swap mask, compare mask} or {add, boundary}.
  std::array<std::uint64_t, 4> operands{};

  [[nodiscard]] std::size_t bytes() const noexcept { return opmod == mlx5::kMasked4Bytes ? 4 : 8; }
};

/// What the word becomes. Boundary: a carry does not leave a bit that is set there, so all ones mean XOR.
std::uint64_t result_of(const AtomicOperation& operation, std::uint64_t before) noexcept;

/// @param before gets the old value as it goes back: 8 bytes as they lie in memory, 4 bytes big-endian
bool carry_out_atomic(const AtomicOperation& operation, std::byte* at, bool on_gpu, std::uint64_t* before);

/// Fault: inverts the lowest bit of a byte.
void flip_bit(std::byte* at, bool on_gpu);

}  // namespace collbench::softmlx5
