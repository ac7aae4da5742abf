#pragma once
#include <cstddef>

#include "softmlx5/include/devx.h"

namespace collbench::softmlx5::direct {

/// Answers QUERY_HCA_CAP. `in` has at least a mailbox's head; `out` is filled up to its length.
rdma::devx::Status query_capabilities(const void* in, void* out, std::size_t out_bytes);

}  // namespace collbench::softmlx5::direct
