#pragma once
// Shapes of collectives as plain functions; counts follow NCCL's `count` argument, sizes nccl-tests' `size`
// column.
#include <cstddef>
#include <cstdint>
#include <string_view>

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
inline constexpr int kCollectiveKindCount = 11;
inline constexpr std::string_view kCollectiveKinds[kCollectiveKindCount] = {
    "allreduce", "allgather", "reducescatter", "broadcast", "reduce",   "alltoall",
    "gather",    "scatter",   "sendrecv",      "hypercube", "alltoallv"};

constexpr std::string_view name_of(CollectiveKind kind) noexcept {
  return kCollectiveKinds[static_cast<int>(kind)];
}
constexpr bool reduces(CollectiveKind k) noexcept {
  return k == CollectiveKind::kAllreduce || k == CollectiveKind::kReducescatter ||
         k == CollectiveKind::kReduce;
}
/// Whether `root` means something.
constexpr bool has_root(CollectiveKind k) noexcept {
  return k == CollectiveKind::kBroadcast || k == CollectiveKind::kReduce || k == CollectiveKind::kGather ||
         k == CollectiveKind::kScatter;
}
/// alltoall, alltoallv and sendrecv overwrite what a peer still has to get, so they know no in-place form.
constexpr bool has_in_place(CollectiveKind k) noexcept {
  return k != CollectiveKind::kAlltoall && k != CollectiveKind::kAlltoallv && k != CollectiveKind::kSendrecv;
}
/// In place, the result lies inside the send buffer; of all others the input lies inside the receive buffer.
constexpr bool result_in_send(CollectiveKind k) noexcept {
  return k == CollectiveKind::kReducescatter || k == CollectiveKind::kScatter;
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
