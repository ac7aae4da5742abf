#pragma once
// Shapes of collectives as plain functions. Counts follow NCCL's `count` argument, sizes the `size` column of
// nccl-tests.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/traffic_matrix.h"
#include "core/dtype.h"

namespace collbench {

/// Collective operations. kSendrecv: each rank sends to the next rank of the ring and receives from the
/// previous one. kHypercube: an allgather in log2(ranks) exchanges between pairs. kAlltoallv: an alltoall
/// whose parts have alltoallv_count() elements, or those of a traffic matrix.
enum class CollectiveKind : std::uint8_t {
  kAllreduce,
  kAllgather,
  kReducescatter,
  kBroadcast,
  kReduce,
  kAlltoall,
  kGather,
  kScatter,
  kSendrecv,
  kHypercube,
  kAlltoallv
};

/// Length of a send or receive buffer: `count` elements (kPart), or `count` elements per rank (kAll).
enum class BufferExtent : std::uint8_t { kPart, kAll };

struct CollectiveRow {
  CollectiveKind kind;
  std::string_view name;
  BufferExtent send = BufferExtent::kPart, receive = BufferExtent::kPart;
  bool reduces = false;
  bool root_sends = false;     // Only the root sends.
  bool root_receives = false;  // Only the root receives.
  bool in_place = true;        // False if in-place operation would overwrite data that a peer still needs.
  bool counts_own = true;      // True if the payload S includes a rank's own part.
  /// Returns true for a number of ranks that the collective can have; nullptr = any number. `ranks_text`
  /// describes the possible numbers in error messages: "a power of two".
  bool (*takes_ranks)(int ranks) noexcept = nullptr;
  std::string_view ranks_text = {};
};

constexpr bool is_power_of_two_ranks(int ranks) noexcept {
  return std::has_single_bit(static_cast<unsigned>(ranks));
}

/// Name, buffer lengths and other properties of each collective, indexed by CollectiveKind.
inline constexpr CollectiveRow kCollectiveTable[] = {
    {.kind = CollectiveKind::kAllreduce, .name = "allreduce", .reduces = true},
    {.kind = CollectiveKind::kAllgather, .name = "allgather", .receive = BufferExtent::kAll},
    {.kind = CollectiveKind::kReducescatter,
     .name = "reducescatter",
     .send = BufferExtent::kAll,
     .reduces = true},
    {.kind = CollectiveKind::kBroadcast, .name = "broadcast", .root_sends = true},
    {.kind = CollectiveKind::kReduce, .name = "reduce", .reduces = true, .root_receives = true},
    {.kind = CollectiveKind::kAlltoall,
     .name = "alltoall",
     .send = BufferExtent::kAll,
     .receive = BufferExtent::kAll,
     .in_place = false},
    {.kind = CollectiveKind::kGather, .name = "gather", .receive = BufferExtent::kAll, .root_receives = true},
    {.kind = CollectiveKind::kScatter, .name = "scatter", .send = BufferExtent::kAll, .root_sends = true},
    {.kind = CollectiveKind::kSendrecv, .name = "sendrecv", .in_place = false},
    {.kind = CollectiveKind::kHypercube,
     .name = "hypercube",
     .receive = BufferExtent::kAll,
     .counts_own = false,
     .takes_ranks = is_power_of_two_ranks,
     .ranks_text = "a power of two"},
    {.kind = CollectiveKind::kAlltoallv,
     .name = "alltoallv",
     .send = BufferExtent::kAll,
     .receive = BufferExtent::kAll,
     .in_place = false},
};
inline constexpr int kCollectiveKindCount = std::size(kCollectiveTable);
static_assert(kCollectiveKindCount == static_cast<int>(CollectiveKind::kAlltoallv) + 1,
              "a row for every kind");
static_assert(
    [] {
      for (int i = 0; i < kCollectiveKindCount; ++i)
        if (static_cast<int>(kCollectiveTable[i].kind) != i) return false;
      return true;
    }(),
    "rows follow the order of CollectiveKind");
inline constexpr auto kCollectiveKinds = [] {
  std::array<std::string_view, kCollectiveKindCount> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCollectiveTable[i].name;
  return names;
}();

constexpr const CollectiveRow& row_of(CollectiveKind kind) noexcept {
  return kCollectiveTable[static_cast<int>(kind)];
}
constexpr std::string_view name_of(CollectiveKind kind) noexcept { return row_of(kind).name; }
constexpr bool reduces(CollectiveKind kind) noexcept { return row_of(kind).reduces; }
/// Returns true if the collective has a root rank, as broadcast, reduce, gather and scatter have.
constexpr bool has_root(CollectiveKind kind) noexcept {
  return row_of(kind).root_sends || row_of(kind).root_receives;
}
constexpr bool has_in_place(CollectiveKind kind) noexcept { return row_of(kind).in_place; }
/// Returns true if the collective can run with this number of ranks.
constexpr bool can_run(CollectiveKind kind, int ranks) noexcept {
  return row_of(kind).takes_ranks == nullptr || row_of(kind).takes_ranks(ranks);
}
/// Returns true if the result of an in-place call is inside the send buffer. For all other collectives, the
/// input of an in-place call is inside the receive buffer.
constexpr bool result_in_send(CollectiveKind kind) noexcept {
  return row_of(kind).send == BufferExtent::kAll && row_of(kind).receive == BufferExtent::kPart;
}
inline std::vector<std::string> names_of(std::span<const CollectiveKind> kinds) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : kinds) names.emplace_back(name_of(kind));
  return names;
}

/// Returns the factor by which the reduction premulsum multiplies the input of `rank`: 1 for even ranks, 2
/// for odd ones.
constexpr int premul_factor(int rank) noexcept { return 1 + rank % 2; }

/// One collective operation with the parameters that are equal on all ranks. `count` is the count argument of
/// the call, in elements: the whole vector for allreduce, broadcast, reduce and sendrecv; one rank's part for
/// all others (alltoallv: the mean of the parts).
struct Operation {
  CollectiveKind kind = CollectiveKind::kAllreduce;
  DataType dtype = DataType::kFloat32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  bool in_place = false;
  std::size_t count = 0;
  /// Lengths of the parts of an alltoallv, from traffic_matrix_of(); null = parts of alltoallv_count()
  /// elements. If set, `count` is the mean part, rounded up.
  const TrafficMatrix* traffic = nullptr;
  bool operator==(const Operation&) const = default;
};

/// Number of elements in the send and receive buffer of one rank. For broadcast and scatter only the root's
/// send buffer is read; for reduce and gather only the root's receive buffer is written. The unused buffers
/// of other ranks have 0 elements.
struct BufferShape {
  std::size_t send_elements = 0;
  std::size_t recv_elements = 0;
};
BufferShape shape_of(const Operation& operation, int rank, int ranks) noexcept;

/// Returns, for an in-place call, the offset in elements of the input within the receive buffer, by NCCL's
/// convention. If result_in_send(), it is the offset of the result within the send buffer. It is rank*count
/// for allgather, hypercube and reducescatter; root*count for gather and scatter on the root, whose own part
/// is not moved; otherwise 0. The only buffer must hold max(send_elements, recv_elements).
std::size_t in_place_offset(const Operation& operation, int rank) noexcept;

/// Returns the index of the first element of `rank`'s result within the combined inputs. It is not 0 only for
/// reducescatter, which leaves each rank a part; other reductions leave the whole vector.
std::size_t result_base(const Operation& operation, int rank) noexcept;

/// Returns how many parts of `count` elements the payload S of the bandwidth formulas consists of: `ranks`
/// for allgather, reducescatter, alltoall, gather, scatter and alltoallv; ranks-1 for hypercube; 1 for all
/// others.
std::size_t parts_of(CollectiveKind kind, int ranks) noexcept;

/// Returns the payload S of the bandwidth formulas in bytes: count * element size * parts_of().
std::size_t payload_bytes(const Operation& operation, int ranks) noexcept;
/// Returns the count argument (elements) that gives a payload of `payload_bytes`, rounded down; 0 if
/// parts_of() is 0. operation.count is ignored.
std::size_t count_of(const Operation& operation, std::size_t payload_bytes, int ranks) noexcept;

/// Returns the number of elements that `rank` sends to `peer` in an alltoallv, which equals the number that
/// it receives from `peer`. Parts differ on purpose: from about count/2 to 3*count/2, rising with (rank +
/// peer) % ranks. The parts of each rank add up to exactly ranks*count.
std::size_t alltoallv_count(std::size_t count, int rank, int peer, int ranks) noexcept;

/// Returns the index of the first element for `peer` in the send buffer of an alltoallv, which is also that
/// of the data from `peer` in the receive buffer. Parts follow each other in the order of the peers. peer ==
/// ranks gives the total length.
std::size_t alltoallv_offset(std::size_t count, int rank, int peer, int ranks) noexcept;

/// Part of an alltoallv's buffer: `length` elements, beginning at element `at`.
struct BufferPart {
  std::size_t at = 0, length = 0;
};
/// Returns the part of the send buffer of `rank` that it sends to `peer` in an alltoallv.
BufferPart part_for(const Operation& operation, int rank, int peer, int ranks) noexcept;
/// Returns the part of the receive buffer of `rank` that receives what `peer` sends in an alltoallv.
BufferPart part_from(const Operation& operation, int rank, int peer, int ranks) noexcept;

/// Checks that the operation is possible with this number of ranks.
/// @throws Error(kInvalidArgument) if can_run() is false, and for in-place calls of collectives that have no
/// in-place form
void check_runnable(const Operation& operation, int ranks);

/// Origin of received elements: `length` elements in the send buffer of `rank`, beginning at element `first`.
struct SourceRange {
  int rank = 0;
  std::size_t first = 0;
  std::size_t length = 0;
};

/// Returns where the elements from `index` on in the receive buffer of `rank` come from. The range ends where
/// the next element comes from another rank or position. `index` must be within the receive buffer.
/// @throws Error(kInternal) if the collective reduces
SourceRange source_of(const Operation& operation, int rank, int ranks, std::size_t index);

}  // namespace collbench
