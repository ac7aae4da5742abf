#pragma once
// A work queue entry as the card reads it: checked, copied from the ring, numbers in host order.
#include <array>
#include <cstddef>
#include <cstdint>

#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {

/// Scatter/gather element of a work queue entry: address, length and lkey of local memory.
struct DataPiece {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0, key = 0;
};

struct Work {
  std::uint8_t opcode = 0, opmod = 0;
  std::uint16_t index = 0;  // number of its first block, for completions
  std::uint32_t blocks = 1;
  bool wants_completion = false;
  std::uint32_t immediate = 0;
  // DC only.
  std::uint32_t access_key = 0;
  std::uint32_t target_queue = 0;
  std::uint16_t target_lid = 0;
  // Remote side.
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  // Local side: pieces, or data inside the WQE.
  std::uint32_t piece_count = 0;
  std::array<DataPiece, mlx5::kMaxSegments> pieces;
  bool is_inline = false;
  std::uint64_t total = 0;  // bytes of all pieces
  std::array<std::byte, mlx5::kMaxSegments * mlx5::kSegmentBytes> inline_bytes;
  // Operands of masked forms: swap, compare, swap mask, compare mask; or add, boundary.
  std::array<std::uint64_t, 4> operands{};
  std::uint32_t operand_bytes = 8;
  // WAIT only.
  std::uint32_t wait_queue = 0, wait_index = 0;
};

/// A send queue's ring of 64-byte blocks; `log_blocks` is the base-2 logarithm of the number of blocks.
struct SendRing {
  const std::byte* blocks = nullptr;
  unsigned log_blocks = 0;
  bool is_dc = false;
  std::uint32_t queue = 0;
};

/// Returns how many 64-byte blocks the work queue entry at block `index` has; 0 if its number of 16-byte
/// segments is invalid.
std::uint32_t blocks_at(const SendRing& ring, std::uint32_t index) noexcept;

/// Reads and checks the work queue entry that starts at block `index` of the ring. For an invalid entry,
/// `work` has its number of blocks and wants a completion.
/// @returns 0, or the mlx5::Syndrome of an invalid entry
std::uint8_t read_work(const SendRing& ring, std::uint32_t index, Work* work) noexcept;

}  // namespace collbench::softmlx5
