#pragma once
// Splits vectors into equal parts, one for each channel.
#include <algorithm>
#include <cstddef>

#include "collectives/collective.h"

namespace collbench::cpu {

/// Largest number of channels per rank; each needs as many connections as a single one.
inline constexpr int kMaxChannels = 16;
/// Smallest part in bytes; a smaller one costs more for its thread and messages than it gains.
inline constexpr std::size_t kMinPartBytes = std::size_t{64} << 10;

/// Returns whether a collective works element by element, so that any part of its vector is the same
/// operation.
inline bool is_splittable(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::kAllreduce || kind == CollectiveKind::kBroadcast ||
         kind == CollectiveKind::kReduce;
}

/// Returns the number of parts; 1 if the operation is not split. @param channels at least 1
inline int parts_of(const Operation& operation, int channels) noexcept {
  if (channels == 1 || !is_splittable(operation.kind)) return 1;
  const std::size_t bytes = operation.count * size_of(operation.dtype);
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / kMinPartBytes, 1, static_cast<std::size_t>(channels)));
}

/// Returns the elements of each part but the last, which has the rest. Parts are whole cache lines, so that
/// no two threads write to the same line.
inline std::size_t part_elements(const Operation& operation, int parts) noexcept {
  constexpr std::size_t kLineBytes = 64;
  const std::size_t each =
      (operation.count + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  const std::size_t line = kLineBytes / size_of(operation.dtype);
  return parts == 1 ? operation.count : (each + line - 1) / line * line;
}

}  // namespace collbench::cpu
