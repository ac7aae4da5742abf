#pragma once
// Launch shapes of an operation: candidates for tuning, and defaults without it.
#include <string>
#include <vector>

#include "engines/nvshmem/offers.h"
#include "engines/nvshmem/settings.h"

namespace collbench::nvshmem {

/// Largest number of thread blocks in a launch. The kernels have flags and slots for this many (kMaxBlocks in
/// device/world.cuh must be equal).
inline constexpr int kMaxBlocks = 128;
inline constexpr int kMinThreads = 32, kMaxThreads = 1024;
inline constexpr std::size_t kMinPacket = 1024, kMaxPacket = std::size_t{256} << 10;
/// Data bytes that fit into the packet memory of one block for one sender (1024 packets with 8 data bytes
/// each).
inline constexpr std::size_t kFlaggedBytesPerBlock = 1024 * 8;

/// How one collective is launched: algorithm, number of blocks, threads per block, bytes per signalled piece.
struct LaunchPlan {
  CollbenchNvshmemAlgorithm algorithm = kCollbenchNvshmemOneShot;
  CollbenchNvshmemPoint point{1, 32, kMaxPacket};
};

/// Returns a plan's launch shape as text: "4x512" for blocks x threads, "128x1024/256K" if the algorithm also
/// has a packet size (in KiB). "" for NVSHMEM's own collective.
std::string format_shape(const LaunchPlan& plan);

/// Returns the launch plan without tuning: values that the user set, for all others those that were fastest
/// on H200 GPUs. One-shot becomes two-shot if it would overwrite data of an in-place call.
/// @param bytes length of one rank's vector, or of one part if the vector has a part per rank
LaunchPlan usual_plan(const Operation& operation, std::size_t bytes, int ranks,
                      const NvshmemSettings& settings);

/// Returns the launch plans that are timed to find the fastest; the first is the default. Equal on all ranks.
/// @param bytes length of one rank's vector, or of one part if the vector has a part per rank
std::vector<LaunchPlan> candidates(const Operation& operation, std::size_t bytes, int ranks,
                                   const NvshmemSettings& settings);

/// Returns the number of threads in a block that puts or gets `bytes` with one-sided operations: one thread
/// per 16 bytes, within the limits.
int threads_of_caller(std::size_t bytes);

/// Returns the launch shape (blocks, threads per block, bytes per signalled piece) for the messages from one
/// rank to another in a transfer, `bytes` in total.
CollbenchNvshmemPoint point_of_transfer(std::size_t bytes, const NvshmemSettings& settings);

}  // namespace collbench::nvshmem
