#pragma once
// Atomic operations on memory of this process. Only the card changes such words in GPU memory; host memory is
// changed with the processor's own atomics.
#include <array>
#include <cstddef>
#include <cstdint>

#include "softmlx5/include/mlx5_formats.h"

namespace collbench::softmlx5 {

struct AtomicOperation {
  std::uint8_t opcode = 0, opmod = 0;
  /// Plain forms: {swap or add, compare}. Masked forms: {swap, compare, swap mask, compare mask} or {add,
  /// boundary}.
  std::array<std::uint64_t, 4> operands{};

  [[nodiscard]] std::size_t bytes() const noexcept { return opmod == mlx5::kMasked4Bytes ? 4 : 8; }
};

/// New value of the word. A carry does not leave a bit that is set in `boundary`, so all ones mean XOR.
std::uint64_t result_of(const AtomicOperation& operation, std::uint64_t before) noexcept;

/// @param before receives the old value in the form of the answer: 8 bytes as in memory, 4 bytes big-endian
bool carry_out_atomic(const AtomicOperation& operation, std::byte* at, bool on_gpu, std::uint64_t* before);

/// Fault injection: inverts the lowest bit of a byte.
void flip_bit(std::byte* at, bool on_gpu);

}  // namespace collbench::softmlx5
