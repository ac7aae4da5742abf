#include "emulated/softmlx5/exports/define.h"

namespace collbench::rdma {
#include "vendor_api/mlx5/mlx5dv_functions.def"
}  // namespace collbench::rdma
