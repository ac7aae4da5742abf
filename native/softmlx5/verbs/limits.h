#pragma once
#include <cstdint>

namespace collbench::softmlx5::verbs {

/// log2 of the blocks in a send ring: the ring's counters have 16 bits
inline constexpr std::uint32_t kLogMostBlocks = 15;
inline constexpr std::uint32_t kMostRequests = 1U << kLogMostBlocks;
inline constexpr std::uint32_t kMostPieces = 30;  // data pieces of one work request
inline constexpr std::uint32_t kLogMostEntries = 22;
inline constexpr std::uint32_t kMostEntries = 1U << kLogMostEntries;  // entries of a completion queue
inline constexpr std::uint32_t kMostWqeBytes = 63 * 16;

}  // namespace collbench::softmlx5::verbs
