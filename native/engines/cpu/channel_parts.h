#pragma once
// Splits vectors into equal parts, one for each channel.
#include <algorithm>
#include <cstddef>

#include "collectives/collective.h"

namespace collbench::cpu {

/// Largest number of channels per rank. A channel is a thread with its own connections to the other ranks.
inline constexpr int kMaxChannels = 16;
/// Smallest part of a vector, in bytes, that gets its own channel (own thread and connections). With smaller
/// parts, the additional thread and messages cost more time than they save.
inline constexpr std::size_t kMinPartBytes = std::size_t{64} << 10;

/// Returns true if a collective works element by element. Then its vector can be split, and each part is an
/// operation of the same kind.
inline bool is_splittable(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::kAllreduce || kind == CollectiveKind::kBroadcast ||
         kind == CollectiveKind::kReduce;
}

/// Returns the number of equal parts into which a collective's vector is split, so that several channels
/// (threads with own connections) work at the same time; 1 = not split. @param channels at least 1
inline int parts_of(const Operation& operation, int channels) noexcept {
  if (channels == 1 || !is_splittable(operation.kind)) return 1;
  const std::size_t bytes = operation.count * size_of(operation.dtype);
  return static_cast<int>(
      std::clamp<std::size_t>(bytes / kMinPartBytes, 1, static_cast<std::size_t>(channels)));
}

/// Returns the number of elements in each part; the last part has the remaining ones. Parts are whole cache
/// lines, so that no two threads write to the same line.
/// @param parts result of parts_of()
inline std::size_t part_elements(const Operation& operation, int parts) noexcept {
  constexpr std::size_t kLineBytes = 64;
  const std::size_t each =
      (operation.count + static_cast<std::size_t>(parts) - 1) / static_cast<std::size_t>(parts);
  const std::size_t line = kLineBytes / size_of(operation.dtype);
  return parts == 1 ? operation.count : (each + line - 1) / line * line;
}

}  // namespace collbench::cpu
