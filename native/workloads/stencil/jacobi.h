#pragma once
// The host's side of the kernels in jacobi_device.h.
#include <cstdint>

#include "core/computation.h"
#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// One iteration; T is float or double. Arguments: JacobiArgs.
template <class T>
Computation jacobi();

/// Threads of its kernel.
std::uint64_t jacobi_threads(std::uint64_t width, std::uint64_t height) noexcept;

/// Text of jacobi_device.h, for NVRTC.
const char* jacobi_source() noexcept;

}  // namespace collbench::stencil
