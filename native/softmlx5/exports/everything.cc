#include "softmlx5/exports/define.h"

namespace collbench::rdma {
#include "softmlx5/include/mlx5dv_functions.def"
#include "softmlx5/include/verbs_functions.def"
}  // namespace collbench::rdma
