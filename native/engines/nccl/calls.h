#pragma once
#include <span>

#include "engines/nccl/communicator.h"

namespace collbench::nccl {

/// Returns the collectives that the nccl engine supports, by NCCL functions or groups of sends and receives.
std::span<const CollectiveKind> queued_kinds() noexcept;

/// Queues one collective on `stream`; without elements nothing is queued. If this NCCL version has no
/// function for the collective, it is queued as sends and receives in one or more NCCL groups.
/// @param rank number of this rank
/// @param ranks number of all ranks
/// @throws Error with NCCL's message if a call fails
void queue_call(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream);

/// Queues point-to-point messages as one NCCL group, so that they run at the same time. Messages of 0 bytes
/// are left out.
/// @throws Error with NCCL's message if a call fails
void queue_messages(Communicator& comm, std::span<const PeerMessage> messages, void* stream);

}  // namespace collbench::nccl
