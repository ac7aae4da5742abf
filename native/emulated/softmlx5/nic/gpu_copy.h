#pragma once
// Copies between host memory and memory of a CUDA device. libcuda is opened when a range outside host memory
// is registered; without libcuda all memory counts as host memory.
#include <cstddef>

namespace collbench::softmlx5 {

/// True if the address is CUDA device memory.
bool is_gpu_memory(const std::byte* address);

/// Allocates all that copies from and to GPU memory need; false if the driver refuses. Call it when memory is
/// registered: later it could deadlock, because the driver may wait for a kernel that waits for this card.
/// @param address in GPU memory; its device is used for all copies, if this is the first call
bool prepare_gpu_copies(const std::byte* address);

/// Copies between host and GPU memory by the GPU's copy engine; complete on return. False if the driver
/// refuses.
bool copy_gpu(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace collbench::softmlx5
