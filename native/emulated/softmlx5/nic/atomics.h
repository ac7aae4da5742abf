#pragma once
// Atomic operations on memory of this process. Only the card changes such words in GPU memory; host memory is
// changed with the processor's own atomics.
#include <array>
#include <cstddef>
#include <cstdint>

#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {

/// An RDMA atomic operation, with its opcode and operands in host byte order.
struct AtomicOperation {
  std::uint8_t opcode = 0, opmod = 0;
  /// Compare-and-swap: {swap, compare}; fetch-and-add: {add}. Masked compare-and-swap: {swap, compare, swap
  /// mask, compare mask}; masked fetch-and-add: {add, boundary}.
  std::array<std::uint64_t, 4> operands{};

  [[nodiscard]] std::size_t bytes() const noexcept { return opmod == mlx5::kMasked4Bytes ? 4 : 8; }
};

/// Returns the value of a word after an RDMA atomic. Masked fetch-and-add: bits set in `boundary` divide the
/// word into fields, and no carry leaves a field. So a boundary of all ones makes it an XOR.
/// @param before old value of the word
std::uint64_t result_of(const AtomicOperation& operation, std::uint64_t before) noexcept;

/// Performs an RDMA atomic (compare-and-swap, fetch-and-add) on memory of this process.
/// @param on_gpu true if `at` is GPU memory
/// @param before receives the old value in the byte order in which the answer contains it: 8-byte words as
/// they lie in memory, 4-byte words big-endian
/// @returns false if the CUDA driver refuses to copy
bool carry_out_atomic(const AtomicOperation& operation, std::byte* at, bool on_gpu, std::uint64_t* before);

/// Fault injection: inverts the lowest bit of a byte.
/// @param on_gpu true if `at` is GPU memory
void flip_bit(std::byte* at, bool on_gpu);

}  // namespace collbench::softmlx5
