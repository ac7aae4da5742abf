#include "collectives/collective.h"

#include <string>

#include "core/error.h"

namespace collbench {
namespace {

/// Returns the total length of the parts 0 to k-1 of an alltoallv, in elements. Part j has count/2 +
/// j*count/(ranks-1) elements before rounding. The totals are rounded, not the parts, so that all parts
/// together have exactly ranks*count elements.
std::size_t parts_before(std::size_t count, std::size_t k, std::size_t ranks) noexcept {
  if (ranks == 1) return k * count;
  const std::size_t twice = 2 * (ranks - 1);
  const std::size_t factor = k * (ranks + k - 2);
  return count / twice * factor + count % twice * factor / twice;
}

}  // namespace

BufferShape shape_of(const Operation& operation, int rank, int ranks) noexcept {
  if (operation.traffic != nullptr)
    return {operation.traffic->send_offset(rank, ranks), operation.traffic->recv_offset(rank, ranks)};
  const CollectiveRow& row = row_of(operation.kind);
  const bool is_root = rank == operation.root;
  const auto length = [&](BufferExtent share) {
    return share == BufferExtent::kAll ? operation.count * static_cast<std::size_t>(ranks) : operation.count;
  };
  return {row.root_sends && !is_root ? 0 : length(row.send),
          row.root_receives && !is_root ? 0 : length(row.receive)};
}

std::size_t in_place_offset(const Operation& operation, int rank) noexcept {
  const CollectiveRow& row = row_of(operation.kind);
  if (row.send == row.receive || (has_root(operation.kind) && rank != operation.root)) return 0;
  return static_cast<std::size_t>(rank) * operation.count;
}

std::size_t result_base(const Operation& operation, int rank) noexcept {
  const bool is_part = reduces(operation.kind) && result_in_send(operation.kind);
  return is_part ? in_place_offset(operation, rank) : 0;
}

std::size_t parts_of(CollectiveKind kind, int ranks) noexcept {
  const CollectiveRow& row = row_of(kind);
  if (row.send == BufferExtent::kPart && row.receive == BufferExtent::kPart) return 1;
  return static_cast<std::size_t>(row.counts_own ? ranks : ranks - 1);
}

std::size_t payload_bytes(const Operation& operation, int ranks) noexcept {
  return operation.count * size_of(operation.dtype) * parts_of(operation.kind, ranks);
}

std::size_t count_of(const Operation& operation, std::size_t payload_bytes, int ranks) noexcept {
  const std::size_t parts = parts_of(operation.kind, ranks);
  return parts == 0 ? 0 : payload_bytes / (size_of(operation.dtype) * parts);
}

std::size_t alltoallv_offset(std::size_t count, int rank, int peer, int ranks) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  const auto first = static_cast<std::size_t>(rank);
  const std::size_t end = first + static_cast<std::size_t>(peer);
  const std::size_t skipped = parts_before(count, first, n);
  if (end <= n) return parts_before(count, end, n) - skipped;
  return n * count - skipped + parts_before(count, end - n, n);
}

std::size_t alltoallv_count(std::size_t count, int rank, int peer, int ranks) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t part = static_cast<std::size_t>(rank + peer) % n;
  return parts_before(count, part + 1, n) - parts_before(count, part, n);
}

BufferPart part_for(const Operation& operation, int rank, int peer, int ranks) noexcept {
  if (operation.traffic != nullptr)
    return {operation.traffic->send_offset(rank, peer), operation.traffic->count(rank, peer)};
  return {alltoallv_offset(operation.count, rank, peer, ranks),
          alltoallv_count(operation.count, rank, peer, ranks)};
}

BufferPart part_from(const Operation& operation, int rank, int peer, int ranks) noexcept {
  if (operation.traffic != nullptr)
    return {operation.traffic->recv_offset(rank, peer), operation.traffic->count(peer, rank)};
  return part_for(operation, rank, peer, ranks);
}

void check_runnable(const Operation& operation, int ranks) {
  const std::string name(name_of(operation.kind));
  if (!can_run(operation.kind, ranks))
    throw Error(ErrorCode::kInvalidArgument, name + " needs a number of ranks that is " +
                                                 std::string(row_of(operation.kind).ranks_text) + ", not " +
                                                 std::to_string(ranks));
  if (operation.in_place && !has_in_place(operation.kind))
    throw Error(ErrorCode::kInvalidArgument, name + " has no in-place form");
}

}  // namespace collbench
