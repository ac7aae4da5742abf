#include "engines/nvshmem/offers.h"

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;
using namespace collbench::cuda_tests;

namespace {

CollectiveCall call_for(CollectiveKind kind, DataType dtype, ReduceOp op) {
  CollectiveCall call;
  call.operation.kind = kind;
  call.operation.dtype = dtype;
  call.operation.op = op;
  call.operation.count = 24;
  return call;
}

}  // namespace

TEST_CASE("a call keeps its count, its element and its memory") {
  char send[1], recv[1];
  CollectiveCall call = call_for(CollectiveKind::kAllreduce, DataType::kBfloat16, ReduceOp::kMax);
  call.send = send;
  call.recv = recv;
  const CollbenchNvshmemCall made = call_of(call);
  CHECK(made.collective == kCollbenchNvshmemAllreduce);
  CHECK(made.type == kCollbenchNvshmemBfloat16);
  CHECK(made.op == kCollbenchNvshmemMax);
  CHECK(made.element_bytes == 2);
  CHECK(made.count == 24);
  CHECK(made.send == send);
  CHECK(made.recv == recv);
}

TEST_CASE("what only moves takes every type") {
  for (int dtype = 0; dtype < kDataTypeCount; ++dtype) {
    const auto type = static_cast<DataType>(dtype);
    CHECK(call_of(call_for(CollectiveKind::kAlltoall, type, ReduceOp::kSum)).element_bytes == size_of(type));
  }
}

TEST_CASE("what the kernels do not offer is refused by its name, with what they do") {
  const auto refusal = [](CollectiveKind kind, DataType dtype, ReduceOp op) {
    return refusal_of([&] { call_of(call_for(kind, dtype, op)); });
  };
  CHECK(refusal(CollectiveKind::kGather, DataType::kFloat32, ReduceOp::kSum) ==
        "invalid_argument: the nvshmem engine does not offer gather; it offers allreduce, allgather, "
        "reducescatter, broadcast, alltoall");
  CHECK(refusal(CollectiveKind::kAllreduce, DataType::kUint8, ReduceOp::kSum) ==
        "invalid_argument: the nvshmem engine does not offer uint8; it offers float32, float16, bfloat16, "
        "float64, int32, int64");
  CHECK(refusal(CollectiveKind::kAllreduce, DataType::kFloat32, ReduceOp::kAvg) ==
        "invalid_argument: the nvshmem engine does not offer avg; it offers sum, prod, min, max");
}

TEST_CASE("every algorithm is found by its name, and no other") {
  for (int i = 0; i < kAlgorithmCount; ++i) CHECK(find_algorithm(kAlgorithms[i]) == i);
  CHECK(kAlgorithms[kCollbenchNvshmemVendor] == "nvshmem");
  CHECK_FALSE(find_algorithm("rings"));
}
