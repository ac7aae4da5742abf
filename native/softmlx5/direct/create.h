#pragma once
#include <cstddef>
#include <memory>

#include "softmlx5/direct/objects.h"

namespace collbench::softmlx5::direct {

/// CREATE_CQ and CREATE_QP: makes the object that the mailbox describes and fills `object`. The mailbox must
/// have its full length.
rdma::devx::Status create_completion_queue(const void* in, rdma::mlx5dv_devx_obj& object);
rdma::devx::Status create_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
