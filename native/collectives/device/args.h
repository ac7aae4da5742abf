#pragma once
// Host side of the kernels in pattern_device.h.
#include <cstdint>

#include "collectives/device/pattern_device.h"
#include "collectives/pattern.h"

namespace collbench {

/// Returns the kernels' arguments for `rank` in `iteration`. Does not call check_exact(), because filling is
/// always possible.
device::PatternArgs pattern_args(const Pattern& pattern, int rank, std::uint64_t iteration) noexcept;

/// Returns the text of pattern_device.h for NVRTC. Its kernels are extern "C": collbench_fill, _poison,
/// _verify, _hold.
const char* pattern_device_source() noexcept;

}  // namespace collbench
