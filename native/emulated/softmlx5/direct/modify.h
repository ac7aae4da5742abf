#pragma once
#include <cstddef>

#include "emulated/softmlx5/direct/objects.h"

namespace collbench::softmlx5::direct {

/// Performs a DEVX command that changes the state of a queue pair.
/// @param in the command, in its full length
/// @returns kBadOperation for an unknown opcode, kBadQpState for a change that is not allowed now
rdma::devx::Status modify_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);
/// True if this state change has attributes of the queue pair in its command (a queue pair context), so that
/// the command must be long enough to hold them.
bool needs_context(std::uint16_t opcode);

/// Performs the DEVX command QUERY_QP: writes the queue pair's attributes and state to `out`.
rdma::devx::Status query_queue_pair(void* out, const rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
