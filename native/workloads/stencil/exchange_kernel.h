#pragma once
// The kernel of device/exchange_device.h as a computation for an engine.
#include "core/computation.h"
#include "workloads/stencil/device/exchange_device.h"

namespace collbench::stencil {

/// Returns the kernel of a halo exchange. Its arguments have the type ExchangeArgs.
Computation exchange_kernel() noexcept;
/// Returns the number of threads with which the kernel must be launched for these arguments.
std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept;
/// Returns the number of thread blocks that store `bytes` to one neighbour.
std::uint32_t blocks_of(std::uint64_t bytes) noexcept;

}  // namespace collbench::stencil
