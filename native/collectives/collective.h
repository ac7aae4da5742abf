#pragma once
// Shapes of collectives as plain functions; counts follow NCCL's `count` argument, sizes nccl-tests' `size`
// column.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"

namespace collbench {

/// From kAlltoall on: sendrecv sends to the next rank and receives from the one before, round the ring;
/// hypercube is an allgather of log2(ranks) pairwise exchanges; alltoallv's parts are alltoallv_count() long.
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

/// How much lies in a buffer: `count` elements, or as many for each rank.
enum class Share : std::uint8_t { kPart, kAll };

struct CollectiveRow {
  CollectiveKind kind;
  std::string_view name;
  Share send = Share::kPart, receive = Share::kPart;
  bool reduces = false;
  bool root_sends = false;     // and nobody else
  bool root_receives = false;  // and nobody else
  bool in_place = true;        // false: it would overwrite what a peer still has to get
  bool counts_own = true;      // S holds a rank's own part
};

/// In the order of CollectiveKind.
inline constexpr CollectiveRow kCollectiveTable[] = {
    {.kind = CollectiveKind::kAllreduce, .name = "allreduce", .reduces = true},
    {.kind = CollectiveKind::kAllgather, .name = "allgather", .receive = Share::kAll},
    {.kind = CollectiveKind::kReducescatter, .name = "reducescatter", .send = Share::kAll, .reduces = true},
    {.kind = CollectiveKind::kBroadcast, .name = "broadcast", .root_sends = true},
    {.kind = CollectiveKind::kReduce, .name = "reduce", .reduces = true, .root_receives = true},
    {.kind = CollectiveKind::kAlltoall,
     .name = "alltoall",
     .send = Share::kAll,
     .receive = Share::kAll,
     .in_place = false},
    {.kind = CollectiveKind::kGather, .name = "gather", .receive = Share::kAll, .root_receives = true},
    {.kind = CollectiveKind::kScatter, .name = "scatter", .send = Share::kAll, .root_sends = true},
    {.kind = CollectiveKind::kSendrecv, .name = "sendrecv", .in_place = false},
    {.kind = CollectiveKind::kHypercube, .name = "hypercube", .receive = Share::kAll, .counts_own = false},
    {.kind = CollectiveKind::kAlltoallv,
     .name = "alltoallv",
     .send = Share::kAll,
     .receive = Share::kAll,
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
/// Whether `root` means something.
constexpr bool has_root(CollectiveKind kind) noexcept {
  return row_of(kind).root_sends || row_of(kind).root_receives;
}
constexpr bool has_in_place(CollectiveKind kind) noexcept { return row_of(kind).in_place; }
/// In place, the result lies inside the send buffer; of all others the input lies inside the receive buffer.
constexpr bool result_in_send(CollectiveKind kind) noexcept {
  return row_of(kind).send == Share::kAll && row_of(kind).receive == Share::kPart;
}
inline std::vector<std::string> names_of(std::span<const CollectiveKind> kinds) {
  std::vector<std::string> names;
  for (const CollectiveKind kind : kinds) names.emplace_back(name_of(kind));
  return names;
}

/// What premulsum multiplies the input of `rank` by: 1 for even ranks, 2 for odd ones.
constexpr int premul_factor(int rank) noexcept { return 1 + rank % 2; }

/// One operation as every rank knows it. `count` is the count argument: the whole vector for allreduce,
/// broadcast, reduce and sendrecv, one rank's part for all others (alltoallv: the mean of the parts).
struct Operation {
  CollectiveKind kind = CollectiveKind::kAllreduce;
  DataType dtype = DataType::kFloat32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  bool in_place = false;
  std::size_t count = 0;
  bool operator==(const Operation&) const = default;
};

/// Elements in the send and the receive buffer of `rank`; broadcast and scatter read only the root's, reduce
/// and gather write only the root's.
struct BufferShape {
  std::size_t send_elements = 0;
  std::size_t recv_elements = 0;
};
BufferShape shape_of(const Operation& operation, int rank, int ranks) noexcept;

/// In place, the send data lies in the receive buffer (result_in_send(): the result lies in the send buffer)
/// at this element offset, by NCCL's convention: allgather, hypercube and reducescatter rank*count; gather
/// and scatter root*count on the root, where its own part stays, and 0 on the others, which have but one
/// buffer; otherwise 0. The one buffer must hold max(send_elements, recv_elements).
std::size_t in_place_offset(const Operation& operation, int rank) noexcept;

/// Where the result of `rank` begins in the vector that the ranks' inputs combine to, elements: reducescatter
/// leaves each rank its part, all others the whole.
std::size_t result_base(const Operation& operation, int rank) noexcept;

/// Parts that S is made of; `count` is one of them: 1, or ranks for allgather, reducescatter, alltoall,
/// gather, scatter and alltoallv (whose ranks all send and receive as much), ranks-1 for hypercube.
std::size_t parts_of(CollectiveKind kind, int ranks) noexcept;

/// S of the bandwidth formulas, bytes: count*size*parts_of().
std::size_t payload_bytes(const Operation& operation, int ranks) noexcept;
/// The count argument that S gives, the operation's own left aside; rounded down.
std::size_t count_of(const Operation& operation, std::size_t payload_bytes, int ranks) noexcept;

/// Elements that `rank` sends to `peer` in alltoallv, which is also what it receives from it. Uneven by
/// design, from about count/2 to 3*count/2 as (rank + peer) % ranks rises, but each rank's parts add up to
/// exactly ranks*count.
std::size_t alltoallv_count(std::size_t count, int rank, int peer, int ranks) noexcept;

/// Where the part for `peer` (send buffer) or from `peer` (receive buffer) begins on `rank`, elements: parts
/// lie packed in the order of the peers. peer == ranks gives the whole length.
std::size_t alltoallv_offset(std::size_t count, int rank, int peer, int ranks) noexcept;

/// @throws Error(kInvalidArgument) hypercube over a number of ranks that is no power of two; in place where
/// there is none
void check_runnable(const Operation& operation, int ranks);

}  // namespace collbench
