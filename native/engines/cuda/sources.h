#pragma once
// Kernel source for one element type and reduction, so that NVRTC compiles only what is used.
#include <cstdint>

namespace collbench::gpu {

/// Kind of kernels: kPuts write through an adapter (ibgda), kStores store to other ranks' memory (p2p).
enum class KernelText : std::uint8_t { kPuts, kStores };
/// Returns the CUDA source of the cuda engine's kernels for one element type and one reduction.
/// @param type DirectType @param op DirectOp (device/elements_device.h)
/// @returns the same address for the same arguments
const char* source_of(KernelText text, std::uint32_t type, std::uint32_t op);

}  // namespace collbench::gpu
