#pragma once
// A work queue entry as the card reads it: checked, out of the ring, numbers in host order.
#include <array>
#include <cstddef>
#include <cstdint>

#include "softmlx5/include/mlx5_formats.h"

namespace collbench::softmlx5 {

struct Piece {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0, key = 0;
};

struct Work {
  std::uint8_t opcode = 0, opmod = 0;
  std::uint16_t index = 0;  // of its first block, as completions tell it
  std::uint32_t blocks = 1;
  bool wants_completion = false;
  std::uint32_t immediate = 0;
  // DC
  std::uint32_t access_key = 0;
  std::uint32_t target_queue = 0;
  std::uint16_t target_lid = 0;
  // remote side
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  // local side: pieces, or bytes that stand in the WQE
  std::uint32_t piece_count = 0;
  std::array<Piece, mlx5::kMostSegments> pieces;
  bool is_inline = false;
  std::uint64_t total = 0;  // bytes of all pieces
  std::array<std::byte, mlx5::kMostSegments * mlx5::kSegmentBytes> inline_bytes;
  // masked forms: swap, compare, swap mask, compare mask; add, boundary
  std::array<std::uint64_t, 4> operands{};
  std::uint32_t operand_bytes = 8;
  // WAIT
  std::uint32_t wait_queue = 0, wait_index = 0;
};

/// A send ring. @param log_blocks binary logarithm of its number of blocks
struct SendRing {
  const std::byte* blocks = nullptr;
  unsigned log_blocks = 0;
  bool is_dc = false;
  std::uint32_t queue = 0;
};

/// Blocks of the entry at `index`, from its number of segments; 0: there is none that could be.
std::uint32_t blocks_at(const SendRing& ring, std::uint32_t index) noexcept;

/// Reads the entry that begins at block `index`. @returns 0, or the mlx5::Syndrome of what is wrong with it
std::uint8_t read_work(const SendRing& ring, std::uint32_t index, Work* work) noexcept;

}  // namespace collbench::softmlx5
