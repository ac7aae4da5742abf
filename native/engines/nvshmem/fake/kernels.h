#pragma once
// Work of a kernel in the fake NVSHMEM: all its blocks run on the stream's thread.
#include "engines/nvshmem/device/abi.h"
#include "engines/nvshmem/fake/world.h"

namespace collbench::nvshmem_fake {

/// Returns the reason why the call is impossible; null if it is possible.
const char* refusal(const CollbenchNvshmemCall& call);
void collective(World& world, const CollbenchNvshmemCall& call);
/// Runs all messages of a transfer.
/// @param turn number of this transfer, counted from 1 on every rank; equal on the two ranks of a message
void transfer(World& world, const CollbenchNvshmemTransfer& transfer, std::uint64_t turn);
/// Runs one launch of one-sided operations. @param turn value that the signals (counters in symmetric memory)
/// have before the launch
void one_sided(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn);
/// Returns by how much a launch of one-sided operations raises its signals (counters in symmetric memory).
std::uint64_t turns_of(const CollbenchNvshmemOneSided& work);

}  // namespace collbench::nvshmem_fake
