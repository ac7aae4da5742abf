#pragma once
// Host side of the kernels in device/jacobi_device.h and device/exchange_device.h.
#include <cstdint>

#include "core/computation.h"
#include "workloads/stencil/device/exchange_device.h"
#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// Returns the kernel for one iteration with values of type T (float or double). Its arguments have the type
/// JacobiArgs.
template <class T>
Computation jacobi();

/// Returns the number of GPU threads with which the update kernel must be launched for a rank's block of
/// width x height points.
std::uint64_t jacobi_threads(std::uint64_t width, std::uint64_t height) noexcept;

/// Returns the text of jacobi_device.h for NVRTC.
const char* jacobi_source() noexcept;

/// Returns the kernel of a halo exchange. Its arguments have the type ExchangeArgs.
Computation exchange_kernel() noexcept;
/// Returns the number of GPU threads with which exchange_kernel() must be launched for these arguments.
std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept;
/// Returns how many thread blocks of the exchange kernel store `bytes` of edge points to one neighbour.
std::uint32_t blocks_of(std::uint64_t bytes) noexcept;

}  // namespace collbench::stencil
