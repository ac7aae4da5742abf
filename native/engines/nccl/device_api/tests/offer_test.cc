#include "cuda/tests/harness.h"
#include "engines/nccl/device_api/device_api.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

namespace {

std::string refused(CollectiveKind kind, DataType dtype, ReduceOp op) {
  Operation operation;
  operation.kind = kind;
  operation.dtype = dtype;
  operation.op = op;
  return refusal_of([&] { check_device_api_offers(operation); });
}

constexpr const char* kNothing = "nothing was refused";

}  // namespace

TEST_CASE("allreduce adds float32, float16 and bfloat16; alltoall moves every type") {
  for (const DataType dtype : {DataType::kFloat32, DataType::kFloat16, DataType::kBfloat16})
    CHECK(refused(CollectiveKind::kAllreduce, dtype, ReduceOp::kSum) == kNothing);
  for (int dtype = 0; dtype < kDataTypeCount; ++dtype)
    CHECK(refused(CollectiveKind::kAlltoall, static_cast<DataType>(dtype), ReduceOp::kSum) == kNothing);
}

TEST_CASE("what the kernels do not offer is refused by its name, with what they do") {
  const std::string offer =
      ": the kernels on NCCL's device API offer allreduce with sum in float32, float16 and bfloat16, and "
      "alltoall; "
      "leave --device-api out for others";
  CHECK(refused(CollectiveKind::kBroadcast, DataType::kFloat32, ReduceOp::kSum) ==
        "invalid_argument: broadcast" + offer);
  CHECK(refused(CollectiveKind::kAllreduce, DataType::kFloat32, ReduceOp::kAvg) ==
        "invalid_argument: allreduce with avg" + offer);
  CHECK(refused(CollectiveKind::kAllreduce, DataType::kFloat64, ReduceOp::kSum) ==
        "invalid_argument: allreduce in float64" + offer);
}

TEST_CASE("an NCCL without the device API says so in both facts, and cannot be prepared") {
  NcclApi old;
  old.path = "/opt/libnccl.so.2";
  old.version = 22705;
  const auto facts = device_api_facts(old, "sisci", false);
  CHECK(facts.at("deviceApi.lsa") == "NCCL 2.27.5 has no device API; 2.28.3 and newer have.");
  CHECK(facts.at("deviceApi.gin") == facts.at("deviceApi.lsa"));
  CHECK(refusal_of([&] { prepare_device_api(old, 90, {}); }) ==
        "unavailable: kernels on NCCL's device API cannot be compiled here. NCCL 2.27.5 has no device API; "
        "2.28.3 and "
        "newer have.");
}
