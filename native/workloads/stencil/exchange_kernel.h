#pragma once
// The kernel of device/exchange_device.h as a computation that an engine launches.
#include "core/computation.h"
#include "workloads/stencil/device/exchange_device.h"

namespace collbench::stencil {

/// Arguments: ExchangeArgs.
Computation exchange_kernel() noexcept;
/// Threads of its launch.
std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept;
/// Blocks that store so many bytes to one neighbour.
std::uint32_t blocks_of(std::uint64_t bytes) noexcept;

}  // namespace collbench::stencil
