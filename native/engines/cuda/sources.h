#pragma once
// Text of kernels, for one element type and operation: NVRTC compiles what runs and no more.
#include <cstdint>

namespace collbench::gpu {

enum class KernelText : std::uint8_t { kPuts, kStores };
/// @param type, op of device/elements_device.h @returns the same address whenever it is asked for
const char* source_of(KernelText text, std::uint32_t type, std::uint32_t op);

}  // namespace collbench::gpu
