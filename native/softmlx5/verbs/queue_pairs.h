#pragma once
#include <cstdint>

#include "softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs {

/// Makes an RC queue pair or, with an access key, a DC target. nullptr with errno on failure.
rdma::ibv_qp* create_queue_pair(rdma::ibv_pd* pd, rdma::ibv_qp_init_attr& attr,
                                const std::uint64_t* dc_access_key);

/// Bytes of the longest work request that such a queue accepts.
std::uint32_t request_bytes(const rdma::ibv_qp_cap& cap);

/// Effect of a change to RESET on both queues: removes posted work and unread completions.
void empty_queues(QueuePair& queue);

}  // namespace collbench::softmlx5::verbs
