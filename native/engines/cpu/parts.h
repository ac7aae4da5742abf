#pragma once
// Vectors in equal parts, one for each channel.
#include <algorithm>
#include <cstddef>

#include "collectives/collective.h"

namespace collbench::cpu {

/// Most channels of a rank; each has as many connections as one alone.
inline constexpr int kMostChannels = 16;
/// A shorter part costs its thread and its messages more than it brings.
inline constexpr std::size_t kLeastPartBytes = std::size_t{64} << 10;

/// What is computed element by element, from one vector to another: any part of it is the same operation.
inline bool is_cut(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::kAllreduce || kind == CollectiveKind::kBroadcast ||
         kind == CollectiveKind::kReduce;
}

/// 1 where it is not cut. @param channels at least 1
inline int parts_of(const Operation& operation, int channels) noexcept {
  if (channels == 1 || !is_cut(operation.kind)) return 1;
  const std::size_t bytes = operation.count * size_of(operation.dtype);
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / kLeastPartBytes, 1, static_cast<std::size_t>(channels)));
}

/// Elements of each part but the last, which has what is left: whole cache lines, so that no two threads
/// write to the same.
inline std::size_t part_elements(const Operation& operation, int parts) noexcept {
  constexpr std::size_t kLineBytes = 64;
  const std::size_t each =
      (operation.count + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  const std::size_t line = kLineBytes / size_of(operation.dtype);
  return parts == 1 ? operation.count : (each + line - 1) / line * line;
}

}  // namespace collbench::cpu
