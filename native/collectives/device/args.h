#pragma once
// The host's side of the kernels in pattern_device.h.
#include <cstdint>

#include "collectives/device/pattern_device.h"
#include "collectives/pattern.h"

namespace collbench {

/// What the kernels need to know of `rank` in `iteration`. Does not ask check_exact(): filling is always
/// possible.
device::PatternArgs pattern_args(const Pattern& pattern, int rank, std::uint64_t iteration) noexcept;

/// Text of pattern_device.h, for NVRTC. Kernels are extern "C": collbench_fill, _poison, _verify, _hold.
const char* pattern_device_source() noexcept;

}  // namespace collbench
