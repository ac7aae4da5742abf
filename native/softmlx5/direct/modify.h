#pragma once
#include <cstddef>

#include "softmlx5/direct/objects.h"

namespace collbench::softmlx5::direct {

/// A change of a queue pair's state. The mailbox has its whole length.
/// @returns kBadOperation for an opcode that is none
rdma::devx::Status modify_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);
/// Whether `opcode` needs a context, and so a mailbox that holds one.
bool carries_context(std::uint16_t opcode);

/// QUERY_QP: fills the whole of `out`.
rdma::devx::Status query_queue_pair(void* out, const rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
