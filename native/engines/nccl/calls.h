#pragma once
#include <span>

#include "engines/nccl/communicator.h"

namespace collbench::nccl {

/// Collectives that it queues.
std::span<const CollectiveKind> queued_kinds() noexcept;

/// Queues one call of ours as calls of NCCL's. What NCCL has no function for, in this version or at all, is
/// made of grouped sends and receives. @throws Error
void queue_call(Communicator& comm, const Call& call, int rank, int ranks, void* stream);

/// Queues messages to and from other ranks as one group. @throws Error
void queue_messages(Communicator& comm, std::span<const Message> messages, void* stream);

}  // namespace collbench::nccl
