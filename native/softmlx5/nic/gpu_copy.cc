#include "softmlx5/nic/gpu_copy.h"

namespace collbench::softmlx5 {

bool is_gpu_memory(const std::byte*) { return false; }
bool copy_gpu(std::byte*, const std::byte*, std::size_t) { return false; }

}  // namespace collbench::softmlx5
