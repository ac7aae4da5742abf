#pragma once
// The kernel of device/exchange_device.h as a computation for an engine.
#include "core/computation.h"
#include "workloads/stencil/device/exchange_device.h"

namespace collbench::stencil {

/// Returns the computation; its arguments are ExchangeArgs.
Computation exchange_kernel() noexcept;
/// Returns the number of threads to launch.
std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept;
/// Returns the number of blocks that store `bytes` to one neighbour.
std::uint32_t blocks_of(std::uint64_t bytes) noexcept;

}  // namespace collbench::stencil
