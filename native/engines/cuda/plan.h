#pragma once
// Plans an operation of transport p2p: algorithm, grid and pieces. Results are equal on all ranks.
#include <string>
#include <string_view>

#include "collectives/collective.h"
#include "engines/cuda/device/stores_device.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {

/// Bytes of GPU memory that receives packets of all other ranks in one hop. A packet has 8 bytes of
/// data and 8 bytes of flags, so half of this memory is data.
inline constexpr std::size_t kPacketRegion = std::size_t{4} << 20;
/// Bytes of GPU memory that is divided into slots. A slot receives one piece of another rank's vector.
inline constexpr std::size_t kSlotRegion = std::size_t{128} << 20;

/// Plan by which the kernels of transport p2p execute one collective.
struct StorePlan {
  DirectShape shape = kOneShot;
  StoreMethod way = kByPackets;
  u32 blocks = 1, threads = 32;
  bool overlaps = true;         // The kernel may start while the previous one ends.
  std::size_t piece_bytes = 0;  // Length of the pieces into which kBySlots cuts the vector; otherwise 0.
};

/// Returns how to execute a collective: algorithm, blocks, threads and piece size. These are the values that
/// the user set, otherwise those that were fastest on two H200s.
StorePlan plan_of(const Operation& operation, int ranks, const CudaSettings& settings);

/// Returns the name of the plan's algorithm for results: "one-shot", "two-shot", "loads" or "staged" for
/// allreduce; "packets" or "direct" for other collectives.
std::string_view algorithm_of(const StorePlan& plan) noexcept;
/// Returns blocks x threads, and the piece size if the algorithm works in pieces: "4x512", "128x1024/256K".
/// The piece size is in KiB if divisible by 1024, else in bytes; it is never in MiB.
std::string format_shape(const StorePlan& plan);

/// Returns how many packets (8 bytes of data plus flags) of each sending rank fit into kPacketRegion, the
/// memory of a rank that receives packets in one hop.
std::size_t places_of(int ranks) noexcept;
/// Returns the bytes of one slot. A slot receives one piece of another rank's vector, so this is the largest
/// piece.
std::size_t max_piece(int ranks) noexcept;

}  // namespace collbench::gpu
