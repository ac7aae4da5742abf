#pragma once
// The work of a kernel, all blocks of it, on the stream's thread.
#include "engines/nvshmem/device/abi.h"
#include "engines/nvshmem/fake/world.h"

namespace collbench::nvshmem_fake {

/// nullptr, or why it cannot be.
const char* refusal(const CollbenchNvshmemCall& call);
void collective(World& world, const CollbenchNvshmemCall& call);
/// @param turn one more for each transfer of all
void transfer(World& world, const CollbenchNvshmemTransfer& transfer, std::uint64_t turn);
/// @param turn value of the signals before
void one_sided(World& world, const CollbenchNvshmemOneSided& work, std::uint64_t turn);
/// By how much the turn goes up.
std::uint64_t turns_of(const CollbenchNvshmemOneSided& work);

}  // namespace collbench::nvshmem_fake
