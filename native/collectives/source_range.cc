#include <string>

#include "collectives/collective.h"
#include "core/error.h"

namespace collbench {
namespace {

/// Returns where element `index` of the receive buffer of `rank` in an alltoallv comes from. The element is
/// in the last part that begins at or before `index`; if several parts have the same begin, all but the last
/// are empty.
SourceRange uneven_source(const Operation& operation, int rank, int ranks, std::size_t index) noexcept {
  int peer = 0;
  for (int beyond = ranks; beyond - peer > 1;) {
    const int middle = peer + (beyond - peer) / 2;
    (part_from(operation, rank, middle, ranks).at <= index ? peer : beyond) = middle;
  }
  const BufferPart part = part_from(operation, rank, peer, ranks);
  const std::size_t within = index - part.at;
  return {peer, part_for(operation, peer, rank, ranks).at + within, part.length - within};
}

}  // namespace

SourceRange source_of(const Operation& operation, int rank, int ranks, std::size_t index) {
  const std::size_t count = operation.count;
  const std::size_t own = static_cast<std::size_t>(rank) * count;
  const std::size_t within = index % count;
  const int part = static_cast<int>(index / count);
  switch (operation.kind) {
    case CollectiveKind::kAllgather:
    case CollectiveKind::kHypercube:
    case CollectiveKind::kGather:
      return {part, within, count - within};
    case CollectiveKind::kAlltoall:
      return {part, own + within, count - within};
    case CollectiveKind::kScatter:
      return {operation.root, own + index, count - index};
    case CollectiveKind::kSendrecv:
      return {(rank + ranks - 1) % ranks, index, count - index};
    case CollectiveKind::kAlltoallv:
      return uneven_source(operation, rank, ranks, index);
    case CollectiveKind::kBroadcast:
      return {operation.root, index, count - index};
    case CollectiveKind::kAllreduce:
    case CollectiveKind::kReducescatter:
    case CollectiveKind::kReduce:
      break;
  }
  throw Error(ErrorCode::kInternal,
              std::string(name_of(operation.kind)) + " combines: no single rank has its result");
}

}  // namespace collbench
