#pragma once
#include <cstdint>

#include "softmlx5/verbs/big_endian.h"

namespace collbench::softmlx5::verbs {

inline constexpr std::uint8_t kPort = 1;

/// The port's GUID, big-endian. It contains the LID and is as unique as the LID.
inline std::uint64_t guid_of(std::uint16_t lid) { return swapped(std::uint64_t{0x5000000000000000} | lid); }

}  // namespace collbench::softmlx5::verbs
