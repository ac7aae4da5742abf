#pragma once
// The kernels of device/puts_device.h as computations for an engine.
#include "core/computation.h"
#include "workloads/controlpath/device/puts_device.h"

namespace collbench::controlpath {

/// Number of threads in the kernel's only block, which is the largest number that can write queue entries
/// together.
inline constexpr std::uint32_t kLargestBlock = 256;

Computation put_kernel() noexcept;
Computation arrival_kernel() noexcept;
Computation clock_kernel() noexcept;

}  // namespace collbench::controlpath
