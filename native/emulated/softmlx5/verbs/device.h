#pragma once
// Limits, port and GUID of the emulated device.
#include <cstdint>

#include "emulated/softmlx5/nic/endian.h"

namespace collbench::softmlx5::verbs {

/// Base-2 logarithm of the maximum number of blocks in a send ring. Block numbers in entries have 16 bits;
/// the ring uses at most half of their range.
inline constexpr std::uint32_t kLogMaxBlocks = 15;
inline constexpr std::uint32_t kMaxRequests = 1U << kLogMaxBlocks;
inline constexpr std::uint32_t kMaxPieces = 30;  // data pieces of one work request
inline constexpr std::uint32_t kLogMaxEntries = 22;
inline constexpr std::uint32_t kMaxEntries = 1U << kLogMaxEntries;  // entries of a completion queue
inline constexpr std::uint32_t kMaxWqeBytes = 63 * 16;

inline constexpr std::uint8_t kPort = 1;

/// Returns the GUID of the port with this LID, in big-endian order. It contains the LID, so it is unique like
/// the LID.
inline std::uint64_t guid_of(std::uint16_t lid) { return swapped(std::uint64_t{0x5000000000000000} | lid); }

}  // namespace collbench::softmlx5::verbs
