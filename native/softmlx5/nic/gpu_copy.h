#pragma once
// Copies between host memory and memory of a CUDA device. libcuda is opened when a range outside host memory
// is registered; without libcuda all memory counts as host memory.
#include <cstddef>

namespace collbench::softmlx5 {

/// True if the address is CUDA device memory. Prepares all that later copies need: allocating then could
/// deadlock, because the driver may wait for kernels that wait for this card.
bool is_gpu_memory(const std::byte* address);

/// Copies by copy engine; complete on return. False if the driver refuses.
bool copy_gpu(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace collbench::softmlx5
