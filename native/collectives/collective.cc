#include "collectives/collective.h"

namespace collbench {

std::optional<CollectiveKind> parse_collective(std::string_view name) noexcept {
  for (int i = 0; i < kCollectiveKindCount; ++i)
    if (kCollectiveKinds[i] == name) return static_cast<CollectiveKind>(i);
  return std::nullopt;
}

BufferShape shape_of(const Operation& operation, int rank, int ranks) noexcept {
  const std::size_t count = operation.count;
  const std::size_t all = count * static_cast<std::size_t>(ranks);
  switch (operation.kind) {
    case CollectiveKind::kAllreduce:
      return {count, count};
    case CollectiveKind::kAllgather:
      return {count, all};
    case CollectiveKind::kReducescatter:
      return {all, count};
    case CollectiveKind::kBroadcast:
      return {rank == operation.root ? count : 0, count};
    case CollectiveKind::kReduce:
      return {count, rank == operation.root ? count : 0};
  }
  return {};
}

std::size_t in_place_offset(const Operation& operation, int rank) noexcept {
  const bool parts =
      operation.kind == CollectiveKind::kAllgather || operation.kind == CollectiveKind::kReducescatter;
  return parts ? static_cast<std::size_t>(rank) * operation.count : 0;
}

std::size_t payload_bytes(const Operation& operation, int ranks) noexcept {
  const bool parts =
      operation.kind == CollectiveKind::kAllgather || operation.kind == CollectiveKind::kReducescatter;
  return operation.count * size_of(operation.dtype) * (parts ? static_cast<std::size_t>(ranks) : 1);
}

}  // namespace collbench
