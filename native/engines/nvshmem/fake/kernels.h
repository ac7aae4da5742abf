#pragma once
// Work of a kernel in the fake NVSHMEM: all its blocks run on the stream's thread.
#include <array>

#include "engines/nvshmem/device/abi.h"
#include "engines/nvshmem/fake/world.h"

namespace collbench::nvshmem_fake {

/// Returns the reason why the call is impossible; null if it is possible.
const char* refusal(const CollbenchNvshmemCall& call);
void collective(World& world, const CollbenchNvshmemCall& call);
/// Numbers of the sequences that the lots of a transfer belong to, counted from 1 for each pair of ranks.
using SequenceNumbers = std::array<std::uint64_t, kCollbenchNvshmemMostLots>;

/// Runs all messages of a transfer.
void transfer(World& world, const CollbenchNvshmemTransfer& transfer, const SequenceNumbers& numbers);
/// Runs one launch of one-sided operations. @param turn value that the signals (counters in symmetric memory)
/// have before the launch
void one_sided(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn);
/// Returns by how much a launch of one-sided operations raises its signals (counters in symmetric memory).
std::uint64_t turns_of(const CollbenchNvshmemOneSided& work);

}  // namespace collbench::nvshmem_fake
