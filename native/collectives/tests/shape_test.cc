#include <doctest/doctest.h>

#include "collectives/collective.h"
#include "core/error.h"

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

TEST_CASE("of collectives that reduce, reducescatter alone leaves a rank a part of the result") {
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    INFO(name_of(kind));
    CHECK(result_base(operation_of(kind, 5, 1), 2) == (kind == CollectiveKind::kReducescatter ? 10 : 0));
  }
}

TEST_CASE("what a collective only moves has a source, what it combines has none") {
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    const Operation operation = operation_of(static_cast<CollectiveKind>(k), 5);
    INFO(name_of(operation.kind));
    if (reduces(operation.kind))
      CHECK_THROWS_AS(source_of(operation, 0, 2, 0), Error);
    else
      CHECK_NOTHROW(source_of(operation, 0, 2, 0));
  }
}

TEST_CASE("buffers have the shapes of NCCL's count argument") {
  struct ShapeCase {
    CollectiveKind kind;
    int rank;
    std::size_t send, recv, offset, payload;
  };
  // Rows for float32, count 5, 3 ranks, root 1.
  const ShapeCase rows[] = {
      {CollectiveKind::kAllreduce, 2, 5, 5, 0, 20},       {CollectiveKind::kAllgather, 2, 5, 15, 10, 60},
      {CollectiveKind::kReducescatter, 2, 15, 5, 10, 60}, {CollectiveKind::kBroadcast, 2, 0, 5, 0, 20},
      {CollectiveKind::kBroadcast, 1, 5, 5, 0, 20},       {CollectiveKind::kReduce, 2, 5, 0, 0, 20},
      {CollectiveKind::kReduce, 1, 5, 5, 0, 20},          {CollectiveKind::kAlltoall, 2, 15, 15, 0, 60},
      {CollectiveKind::kGather, 2, 5, 0, 0, 60},          {CollectiveKind::kGather, 1, 5, 15, 5, 60},
      {CollectiveKind::kScatter, 2, 0, 5, 0, 60},         {CollectiveKind::kScatter, 1, 15, 5, 5, 60},
      {CollectiveKind::kSendrecv, 2, 5, 5, 0, 20},        {CollectiveKind::kHypercube, 2, 5, 15, 10, 40},
      {CollectiveKind::kAlltoallv, 2, 15, 15, 0, 60},
  };
  for (const ShapeCase& row : rows) {
    CAPTURE(name_of(row.kind));
    const Operation operation = operation_of(row.kind, 5, 1);
    const BufferShape shape = shape_of(operation, row.rank, 3);
    CHECK(shape.send_elements == row.send);
    CHECK(shape.recv_elements == row.recv);
    CHECK(in_place_offset(operation, row.rank) == row.offset);
    CHECK(payload_bytes(operation, 3) == row.payload);
    CHECK(count_of(operation, row.payload, 3) == 5);
    CHECK(count_of(operation, row.payload - 1, 3) == 4);
  }
}

TEST_CASE("one rank alone has every collective's shapes, with its own data on both sides") {
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    const Operation operation = operation_of(static_cast<CollectiveKind>(k), 5);
    const BufferShape shape = shape_of(operation, 0, 1);
    CHECK(shape.send_elements == 5);
    CHECK(shape.recv_elements == 5);
    CHECK(in_place_offset(operation, 0) == 0);
    const bool moves_nothing = !row_of(operation.kind).counts_own;
    CHECK(payload_bytes(operation, 1) == (moves_nothing ? 0 : 20));
    CHECK(count_of(operation, 20, 1) == (moves_nothing ? 0 : 5));
    CHECK_NOTHROW(check_runnable(operation, 1));
  }
}

TEST_CASE(
    "in place is refused where a peer's data would be overwritten, a hypercube without all its corners too") {
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    Operation operation = operation_of(static_cast<CollectiveKind>(k), 5);
    operation.in_place = true;
    INFO(name_of(operation.kind));
    if (has_in_place(operation.kind))
      CHECK_NOTHROW(check_runnable(operation, 4));
    else
      CHECK_THROWS_AS(check_runnable(operation, 4), Error);
  }
  CHECK_THROWS_WITH_AS(check_runnable(operation_of(CollectiveKind::kHypercube, 5), 6),
                       "hypercube needs a number of ranks that is a power of two, not 6", Error);
}
