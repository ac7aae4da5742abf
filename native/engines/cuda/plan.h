#pragma once
// Plans an operation of transport p2p: algorithm, grid and pieces. Results are equal on all ranks.
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cuda/device/stores_device.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {

/// Bytes of packet memory for all sources of a hop together; half of it holds data.
inline constexpr std::size_t kPacketRegion = std::size_t{4} << 20;
/// Bytes of slots for all sources together.
inline constexpr std::size_t kSlotRegion = std::size_t{128} << 20;

struct StorePlan {
  DirectShape shape = kOneShot;
  StoreMethod way = kByPackets;
  u32 blocks = 1, threads = 32;
  std::size_t piece_bytes = 0;  // Only for kBySlots.
};

/// Returns the plan: what the settings fix, otherwise what was fastest on two H200s.
StorePlan plan_of(const Operation& operation, int ranks, const CudaSettings& settings);

/// Returns "one-shot", "two-shot", "loads" or "staged"; "packets" or "direct".
std::string_view algorithm_of(const StorePlan& plan) noexcept;
/// Returns the grid, and the piece if there is one: "4x512", "128x1024/256K".
std::string format_shape(const StorePlan& plan);

/// Returns the packets of one source in a hop.
std::size_t places_of(int ranks) noexcept;
/// Returns the bytes of one slot.
std::size_t most_piece(int ranks) noexcept;

}  // namespace collbench::gpu
