#pragma once
// Shapes of collectives as plain functions; counts follow NCCL's `count` argument, sizes nccl-tests' `size`
// column.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/dtype.h"

namespace collbench {

enum class CollectiveKind : std::uint8_t { kAllreduce, kAllgather, kReducescatter, kBroadcast, kReduce };
inline constexpr int kCollectiveKindCount = 5;
inline constexpr std::string_view kCollectiveKinds[kCollectiveKindCount] = {
    "allreduce", "allgather", "reducescatter", "broadcast", "reduce"};

std::optional<CollectiveKind> parse_collective(std::string_view name) noexcept;
constexpr std::string_view name_of(CollectiveKind kind) noexcept {
  return kCollectiveKinds[static_cast<int>(kind)];
}
constexpr bool reduces(CollectiveKind k) noexcept {
  return k == CollectiveKind::kAllreduce || k == CollectiveKind::kReducescatter ||
         k == CollectiveKind::kReduce;
}

/// One operation as every rank knows it. `count` is the count argument: the whole vector for allreduce,
/// broadcast and reduce, one rank's part for allgather and reducescatter.
struct Operation {
  CollectiveKind kind = CollectiveKind::kAllreduce;
  DataType dtype = DataType::kFloat32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  bool in_place = false;
  std::size_t count = 0;
};

/// Elements in the send and the receive buffer of `rank`; broadcast reads only the root's, reduce writes only
/// the root's.
struct BufferShape {
  std::size_t send_elements = 0;
  std::size_t recv_elements = 0;
};
BufferShape shape_of(const Operation& operation, int rank, int ranks) noexcept;

/// In place, the send data lies in the receive buffer (reducescatter: the result lies in the send buffer) at
/// this element offset: allgather and reducescatter rank*count, otherwise 0 (NCCL's convention).
std::size_t in_place_offset(const Operation& operation, int rank) noexcept;

/// S of the bandwidth formulas, bytes: count*size, times ranks for allgather and reducescatter.
std::size_t payload_bytes(const Operation& operation, int ranks) noexcept;

}  // namespace collbench
