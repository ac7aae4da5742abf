#pragma once
// Our declarations of the verbs and mlx5 interfaces, and those of rdma-core if installed (HAS_RDMA_CORE).
#include "vendor_api/mlx5/mlx5dv_abi.h"
// Included after ours, because it defines macros with the names of our constants.
#if __has_include(<infiniband/mlx5dv.h>) && __has_include(<infiniband/verbs.h>)
#define HAS_RDMA_CORE 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#pragma GCC diagnostic pop
namespace ours = collbench::rdma;
#endif
