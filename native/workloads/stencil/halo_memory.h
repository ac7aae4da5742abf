#pragma once
// Memory layout of a rank, with the same offsets on all ranks. Each of the engine's two buffers holds lanes,
// a few words and a field.
#include <cstddef>
#include <cstdint>

#include "engines/engine.h"
#include "workloads/stencil/decomposition.h"

namespace collbench::stencil {

/// Memory for the exchanged points. A lane holds the points of one side of the block, then the number of the
/// exchange that brought them. Each side has two lanes, used in turn, because a neighbour may be one
/// iteration ahead.
class HaloMemory {
 public:
  HaloMemory(Engine& engine, const GridPortion& portion, std::size_t point_bytes)
      : lane_((static_cast<std::size_t>(portion.longest_edge) * point_bytes + sizeof(std::uint64_t) +
               kAlignment - 1) /
              kAlignment * kAlignment) {
    const std::size_t bytes = field_offset() + static_cast<std::size_t>(portion.largest_block) * point_bytes;
    for (int i = 0; i < 2; ++i) bases_[i] = static_cast<std::byte*>(engine.buffer(i, bytes));
  }
  /// Returns the lane with this rank's points for the neighbour; halo() returns the lane into which the
  /// neighbour's points arrive. @param turn 0 or 1: which of the two lanes of this side
  [[nodiscard]] std::byte* edge(int turn, int side) const { return bases_[0] + lane_offset(turn, side); }
  [[nodiscard]] std::byte* halo(int turn, int side) const { return bases_[1] + lane_offset(turn, side); }
  [[nodiscard]] std::byte* field(int turn) const { return bases_[turn] + field_offset(); }
  /// Returns device memory for counters of the exchange kernels; it lies between the lanes and the field.
  [[nodiscard]] std::byte* words() const { return bases_[0] + lanes_bytes(); }

  /// Returns the offset in bytes of a lane in its buffer. number_offset() is the offset of the exchange
  /// number within a lane.
  [[nodiscard]] std::size_t lane_offset(int turn, int side) const {
    return static_cast<std::size_t>(turn * kSides + side) * lane_;
  }
  [[nodiscard]] std::size_t number_offset() const { return lane_ - sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t lanes_bytes() const { return 2 * kSides * lane_; }

 private:
  [[nodiscard]] std::size_t field_offset() const { return lanes_bytes() + kAlignment; }
  static constexpr std::size_t kAlignment = 512;
  std::size_t lane_;  // Bytes of one lane.
  std::byte* bases_[2] = {};
};

}  // namespace collbench::stencil
