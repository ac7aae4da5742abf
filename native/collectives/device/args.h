#pragma once
// Host side of the kernels in pattern_device.h.
#include <cstdint>

#include "collectives/device/pattern_device.h"
#include "collectives/pattern.h"

namespace collbench {

/// Returns the arguments with which the pattern's kernels fill or verify the data of `rank` in `iteration`.
/// Does not call check_exact(), because filling is possible in any case.
device::PatternArgs pattern_args(const Pattern& pattern, int rank, std::uint64_t iteration) noexcept;

/// Returns the text of pattern_device.h, which NVRTC compiles. Its kernels are extern "C": collbench_fill,
/// collbench_poison, collbench_verify, collbench_hold.
const char* pattern_device_source() noexcept;

}  // namespace collbench
