#include "emulated/softmlx5/exports/define.h"

namespace collbench::rdma {
#include "vendor_api/mlx5/verbs_functions.def"
}  // namespace collbench::rdma
