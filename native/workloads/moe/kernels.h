#pragma once
// Host side of the kernels in device/experts_device.h.
#include <cstdint>

#include "core/computation.h"
#include "workloads/moe/device/experts_device.h"

namespace collbench::moe {

/// Returns the kernel that packs rows; its arguments have the type PackArgs.
Computation packing() noexcept;
/// Returns the number of threads with which packing() must be launched.
std::uint64_t packing_threads(const PackArgs& args) noexcept;

/// Returns the kernel that combines outputs; its arguments have the type CombineArgs.
Computation combining() noexcept;
std::uint64_t combining_threads(const CombineArgs& args) noexcept;

/// Returns the text of experts_device.h for NVRTC.
const char* experts_source() noexcept;

}  // namespace collbench::moe
