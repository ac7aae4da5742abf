#pragma once
// The kernel of device/exchange_device.h as a computation for an engine.
#include "core/computation.h"
#include "workloads/stencil/device/exchange_device.h"

namespace collbench::stencil {

/// Returns the kernel of a halo exchange. Its arguments have the type ExchangeArgs.
Computation exchange_kernel() noexcept;
/// Returns the number of GPU threads with which exchange_kernel() must be launched for these arguments.
std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept;
/// Returns how many thread blocks of the exchange kernel store `bytes` of edge points to one neighbour.
std::uint32_t blocks_of(std::uint64_t bytes) noexcept;

}  // namespace collbench::stencil
