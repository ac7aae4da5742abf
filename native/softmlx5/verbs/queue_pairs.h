#pragma once
#include <cstdint>

#include "softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs {

/// An RC queue pair, or with an access key a DC target. nullptr with errno.
rdma::ibv_qp* create_queue_pair(rdma::ibv_pd* pd, rdma::ibv_qp_init_attr& attr,
                                const std::uint64_t* dc_access_key);

/// Bytes of the longest work request that such a queue takes.
std::uint32_t request_bytes(const rdma::ibv_qp_cap& cap);

/// What a change to RESET does to both queues: nothing is posted, nothing is left to poll.
void empty_queues(QueuePair& queue);

}  // namespace collbench::softmlx5::verbs
