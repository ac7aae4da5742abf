#pragma once
#include <cstdint>

namespace collbench::softmlx5::verbs {

/// Base-2 logarithm of the maximum number of blocks in a send ring. Block numbers in entries have 16 bits;
/// the ring uses at most half of their range.
inline constexpr std::uint32_t kLogMaxBlocks = 15;
inline constexpr std::uint32_t kMaxRequests = 1U << kLogMaxBlocks;
inline constexpr std::uint32_t kMaxPieces = 30;  // data pieces of one work request
inline constexpr std::uint32_t kLogMaxEntries = 22;
inline constexpr std::uint32_t kMaxEntries = 1U << kLogMaxEntries;  // entries of a completion queue
inline constexpr std::uint32_t kMaxWqeBytes = 63 * 16;

}  // namespace collbench::softmlx5::verbs
