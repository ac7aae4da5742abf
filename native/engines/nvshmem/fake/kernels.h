#pragma once
// Work of a kernel in the fake NVSHMEM: all its blocks run on the stream's thread.
#include "engines/nvshmem/device/abi.h"
#include "engines/nvshmem/fake/world.h"

namespace collbench::nvshmem_fake {

/// Returns nullptr, or why the call is impossible.
const char* refusal(const CollbenchNvshmemCall& call);
void collective(World& world, const CollbenchNvshmemCall& call);
/// @param turn counts the transfers of all ranks
void transfer(World& world, const CollbenchNvshmemTransfer& transfer, std::uint64_t turn);
/// @param turn value of the signals before this work
void one_sided(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn);
/// Returns by how much the work raises the signals.
std::uint64_t turns_of(const CollbenchNvshmemOneSided& work);

}  // namespace collbench::nvshmem_fake
