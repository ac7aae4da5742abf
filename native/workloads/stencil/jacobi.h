#pragma once
// Host side of the kernels in jacobi_device.h.
#include <cstdint>

#include "core/computation.h"
#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// Returns the computation of one iteration; T is float or double. Its arguments are JacobiArgs.
template <class T>
Computation jacobi();

/// Returns the number of kernel threads for a block of this size.
std::uint64_t jacobi_threads(std::uint64_t width, std::uint64_t height) noexcept;

/// Returns the text of jacobi_device.h for NVRTC.
const char* jacobi_source() noexcept;

}  // namespace collbench::stencil
