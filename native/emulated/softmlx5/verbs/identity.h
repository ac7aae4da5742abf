#pragma once
#include <cstdint>

#include "emulated/softmlx5/nic/endian.h"

namespace collbench::softmlx5::verbs {

inline constexpr std::uint8_t kPort = 1;

/// Returns the GUID of the port with this LID, in big-endian order. It contains the LID, so it is unique like
/// the LID.
inline std::uint64_t guid_of(std::uint16_t lid) { return swapped(std::uint64_t{0x5000000000000000} | lid); }

}  // namespace collbench::softmlx5::verbs
