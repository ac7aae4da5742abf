#pragma once
// How an operation of transport p2p goes: algorithm, grid, pieces. Pure, and equal on all ranks.
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cuda/device/stores_device.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {

/// Of packets, for all sources of a hop together; their data are half of it.
inline constexpr std::size_t kPacketRegion = std::size_t{4} << 20;
/// Of slots, for all sources together.
inline constexpr std::size_t kSlotRegion = std::size_t{128} << 20;

struct StorePlan {
  DirectShape shape = kOneShot;
  StoreWay way = kByPackets;
  u32 blocks = 1, threads = 32;
  std::size_t piece_bytes = 0;  // of kBySlots
};

/// What the settings fix; the rest as measured on two H200s.
StorePlan plan_of(const Operation& operation, int ranks, const CudaSettings& settings);

/// "one-shot", "two-shot", "loads", "staged"; "packets", "direct".
std::string_view algorithm_of(const StorePlan& plan) noexcept;
/// Grid, and the piece where there are some: "4x512", "128x1024/256K".
std::string words_of(const StorePlan& plan);

/// Packets of one source in a hop.
std::size_t places_of(int ranks) noexcept;
/// Bytes of one slot.
std::size_t most_piece(int ranks) noexcept;

}  // namespace collbench::gpu
