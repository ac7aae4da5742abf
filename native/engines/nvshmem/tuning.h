#pragma once
// Launch shapes of an operation: candidates for tuning, and defaults without it.
#include <string>
#include <vector>

#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/settings.h"

namespace collbench::nvshmem {

/// Limits of device/world.cuh.
inline constexpr int kMaxBlocks = 128;
inline constexpr int kMinThreads = 32, kMaxThreads = 1024;
inline constexpr std::size_t kMinPacket = 1024, kMaxPacket = std::size_t{256} << 10;
/// Data bytes of one block when packets with flags are used.
inline constexpr std::size_t kFlaggedBytesPerBlock = 1024 * 8;

/// An algorithm with a launch shape.
struct LaunchPlan {
  CollbenchNvshmemAlgorithm algorithm = kCollbenchNvshmemOneShot;
  CollbenchNvshmemPoint point{1, 32, kMaxPacket};
};

/// Formats a plan as protocol_of returns it: "4x512", and with the packet if the algorithm has one:
/// "128x1024/256K".
std::string format_shape(const LaunchPlan& plan);

/// Returns the plan that the settings fix, otherwise the fastest on H200s.
/// @param bytes of one rank's vector or part
LaunchPlan usual_plan(const Operation& operation, std::size_t bytes, int ranks,
                      const NvshmemSettings& settings);

/// Returns the plans to try, the default first; equal on all ranks.
std::vector<LaunchPlan> candidates(const Operation& operation, std::size_t bytes, int ranks,
                                   const NvshmemSettings& settings);

/// Returns the threads of a block that puts or gets `bytes`: one per word of 16 bytes.
int threads_of_caller(std::size_t bytes);

/// Returns the launch shape of a transfer of `bytes`.
CollbenchNvshmemPoint point_of_transfer(std::size_t bytes, const NvshmemSettings& settings);

}  // namespace collbench::nvshmem
