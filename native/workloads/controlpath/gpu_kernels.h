#pragma once
// The kernels of device/puts_device.h as computations that an engine launches.
#include "core/computation.h"
#include "workloads/controlpath/device/puts_device.h"

namespace collbench::controlpath {

/// Threads of a launch's one block: at most so many work together.
inline constexpr std::uint32_t kLargestBlock = 256;

Computation put_kernel() noexcept;
Computation arrival_kernel() noexcept;
Computation clock_kernel() noexcept;

}  // namespace collbench::controlpath
