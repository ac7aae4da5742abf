#pragma once
#include <cstddef>

#include "softmlx5/direct/objects.h"

namespace collbench::softmlx5::direct {

/// Changes a queue pair's state. The mailbox must have its full length.
/// @returns kBadOperation for an unknown opcode
rdma::devx::Status modify_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);
/// True if `opcode` takes a queue pair context, so that its mailbox must be long enough to hold one.
bool needs_context(std::uint16_t opcode);

/// QUERY_QP: fills all of `out`.
rdma::devx::Status query_queue_pair(void* out, const rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
