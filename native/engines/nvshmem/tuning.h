#pragma once
// Grid, block and packet of an operation: what is tried, and what is taken where nothing is tried. Pure.
#include <string>
#include <vector>

#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/settings.h"

namespace collbench::nvshmem {

/// Those of device/world.cuh.
inline constexpr int kMostBlocks = 128;
inline constexpr int kLeastThreads = 32, kMostThreads = 1024;
inline constexpr std::size_t kLeastPacket = 1024, kMostPacket = std::size_t{256} << 10;
/// What one block takes up in packets with flags, bytes of data.
inline constexpr std::size_t kFlaggedBytesPerBlock = 1024 * 8;

/// An algorithm at one point.
struct Plan {
  CollbenchNvshmemAlgorithm algorithm = kCollbenchNvshmemOneShot;
  CollbenchNvshmemPoint point{1, 32, kMostPacket};
};

/// "one-shot" as protocol_of says it: "4x512", and with its packet where the algorithm has one:
/// "128x1024/256K".
std::string words_of(const Plan& plan);

/// What the settings fix; the rest as measured on H200s. @param bytes of one rank's vector or part
Plan usual_plan(const Operation& operation, std::size_t bytes, int ranks, const NvshmemSettings& settings);

/// What is worth trying for it, the usual one first; equal on all ranks.
std::vector<Plan> candidates(const Operation& operation, std::size_t bytes, int ranks,
                             const NvshmemSettings& settings);

/// Threads of a block that puts or gets so many bytes: one for every word of 16.
int threads_of_caller(std::size_t bytes);

/// Grid, block and packet of a transfer of so many bytes.
CollbenchNvshmemPoint point_of_transfer(std::size_t bytes, const NvshmemSettings& settings);

}  // namespace collbench::nvshmem
