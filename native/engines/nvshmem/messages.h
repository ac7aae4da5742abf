#pragma once
// Messages of a workload as the kernels move them (device/messages.cuh).
#include <span>
#include <vector>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"
#include "engines/nvshmem/settings.h"

namespace collbench::nvshmem {

/// Returns the transfers that together move these messages, to be queued in this order; without a stream.
/// Sends to one peer whose bytes follow each other at both ends are one lot. All receives are in the last
/// transfer, so that no kernel waits for a peer before everything is sent.
/// @throws Error(kInvalidArgument) if messages come from more peers than a transfer has lots
std::vector<CollbenchNvshmemTransfer> transfers_of(std::span<const PeerMessage> messages,
                                                   const NvshmemSettings& settings);

}  // namespace collbench::nvshmem
