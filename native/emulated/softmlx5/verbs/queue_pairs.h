#pragma once
#include <cstdint>

#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs {

/// Implements ibv_create_qp: creates a reliable connection (RC) queue pair.
/// @param dc_access_key nullptr; or the key of a DC target, which is created instead
/// @returns nullptr with errno set on failure
rdma::ibv_qp* create_queue_pair(rdma::ibv_pd* pd, rdma::ibv_qp_init_attr& attr,
                                const std::uint64_t* dc_access_key);

/// Returns the size in bytes of the longest work queue entry of a queue with these capabilities.
std::uint32_t request_bytes(const rdma::ibv_qp_cap& cap);

/// Drops all posted requests and unread completions of the queue pair, as a change to state RESET requires.
void empty_queues(QueuePair& queue);

}  // namespace collbench::softmlx5::verbs
