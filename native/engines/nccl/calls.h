#pragma once
#include <span>

#include "engines/nccl/communicator.h"

namespace collbench::nccl {

/// Returns the collectives that queue_call() supports.
std::span<const CollectiveKind> queued_kinds() noexcept;

/// Queues one collective as NCCL calls. If this NCCL has no function for it, grouped sends and receives are
/// used.
/// @throws Error
void queue_call(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream);

/// Queues messages to and from other ranks as one group. @throws Error
void queue_messages(Communicator& comm, std::span<const PeerMessage> messages, void* stream);

}  // namespace collbench::nccl
