#pragma once
#include <cstddef>
#include <memory>

#include "emulated/softmlx5/direct/objects.h"

namespace collbench::softmlx5::direct {

/// Performs the DEVX command CREATE_CQ: creates a completion queue and stores it in `object`.
/// @param in the command in its full length
rdma::devx::Status create_completion_queue(const void* in, rdma::mlx5dv_devx_obj& object);
/// Performs the DEVX command CREATE_QP: creates a queue pair and stores it in `object`.
/// @param in the command in its full length
rdma::devx::Status create_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
