#pragma once
#include <cstddef>

#include "vendor_api/mlx5/devx.h"

namespace collbench::softmlx5::direct {

/// Performs the DEVX command QUERY_HCA_CAP: writes the adapter's capabilities to `out`.
/// @param in the command, at least as long as a mailbox's head (16 bytes)
/// @param out_bytes size of `out`, which is filled completely
rdma::devx::Status query_capabilities(const void* in, void* out, std::size_t out_bytes);

}  // namespace collbench::softmlx5::direct
