#include <doctest/doctest.h>

#include "collectives/collective.h"

using namespace collbench;

namespace {
Operation operation_of(CollectiveKind kind, std::size_t count, int root = 0) {
  Operation operation;
  operation.kind = kind;
  operation.count = count;
  operation.root = root;
  return operation;
}
}  // namespace

TEST_CASE("every collective parses back from its name; others are refused") {
  for (int i = 0; i < kCollectiveKindCount; ++i)
    CHECK(parse_collective(kCollectiveKinds[i]) == static_cast<CollectiveKind>(i));
  CHECK_FALSE(parse_collective("all_reduce").has_value());
}

TEST_CASE("buffers have the shapes of NCCL's count argument") {
  struct Row {
    CollectiveKind kind;
    int rank;
    std::size_t send, recv, offset, payload;
  };
  // float32, count 5, 3 ranks, root 1
  const Row rows[] = {
      {CollectiveKind::kAllreduce, 2, 5, 5, 0, 20},       {CollectiveKind::kAllgather, 2, 5, 15, 10, 60},
      {CollectiveKind::kReducescatter, 2, 15, 5, 10, 60}, {CollectiveKind::kBroadcast, 2, 0, 5, 0, 20},
      {CollectiveKind::kBroadcast, 1, 5, 5, 0, 20},       {CollectiveKind::kReduce, 2, 5, 0, 0, 20},
      {CollectiveKind::kReduce, 1, 5, 5, 0, 20},
  };
  for (const Row& row : rows) {
    CAPTURE(name_of(row.kind));
    const Operation operation = operation_of(row.kind, 5, 1);
    const BufferShape shape = shape_of(operation, row.rank, 3);
    CHECK(shape.send_elements == row.send);
    CHECK(shape.recv_elements == row.recv);
    CHECK(in_place_offset(operation, row.rank) == row.offset);
    CHECK(payload_bytes(operation, 3) == row.payload);
  }
}
