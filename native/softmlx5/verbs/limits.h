#pragma once
#include <cstdint>

namespace collbench::softmlx5::verbs {

inline constexpr std::uint32_t kLogMostBlocks = 15;  // of a send ring: its counters have 16 bits
inline constexpr std::uint32_t kMostRequests = 1U << kLogMostBlocks;
inline constexpr std::uint32_t kMostPieces = 30;  // of one work request
inline constexpr std::uint32_t kLogMostEntries = 22;
inline constexpr std::uint32_t kMostEntries = 1U << kLogMostEntries;  // of a completion queue
inline constexpr std::uint32_t kMostWqeBytes = 63 * 16;

}  // namespace collbench::softmlx5::verbs
