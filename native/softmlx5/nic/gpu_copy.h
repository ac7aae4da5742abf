#pragma once
// Copies between host memory and memory of a CUDA device. libcuda is opened when a range that is not the
// host's is registered; without it all memory is the host's.
#include <cstddef>

namespace collbench::softmlx5 {

/// Whether the address is device memory of CUDA. Also prepares what copies need: nothing is allocated later,
/// for the driver may wait for kernels that wait for this card.
bool is_gpu_memory(const std::byte* address);

/// Copies on the copy engines, complete on return. False where the driver refuses.
bool copy_gpu(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace collbench::softmlx5
