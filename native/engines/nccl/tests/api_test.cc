#include "cuda/tests/harness.h"
#include "engines/nccl/nccl_api.h"
#include "engines/nccl/search.h"

using namespace collbench;
using namespace collbench::nccl;
using namespace collbench::cuda_tests;

TEST_CASE("a library that is no NCCL, or too old, is refused with path, reason and way out") {
  const TemporaryFolder folder;
  const std::string text = folder.file("libnccl.so.2", "no library");
  CHECK(contains(refusal_of([&] { open_nccl(text); }),
                 "unavailable: NCCL library " + text + " cannot be loaded"));
  CHECK(contains(refusal_of([&] { open_nccl(text); }), "--nccl"));
  CHECK(contains(refusal_of([] { open_nccl(COLLBENCH_NOT_NCCL); }),
                 "is no NCCL: it has no working ncclGetVersion"));
  CHECK(contains(refusal_of([] { open_nccl(COLLBENCH_OLD_NCCL); }), "is NCCL 2.12.10, older than 2.13"));
}

TEST_CASE("a failed call carries NCCL's words") {
  NcclApi api;
  api.error_string = [](int) { return "unhandled system error"; };
  CHECK_NOTHROW(api.check(kNcclSuccess, "ncclAllReduce"));
  CHECK(refusal_of([&] { api.check(2, "ncclAllReduce"); }) ==
        "unavailable: ncclAllReduce failed: unhandled system error");
  api.last_error = [](NcclComm*) { return "socket closed\n"; };
  CHECK(refusal_of([&] { api.check(2, "ncclAllReduce"); }) ==
        "unavailable: ncclAllReduce failed: unhandled system error (socket closed)");
}

TEST_CASE("versions are read as people write them") {
  NcclApi api;
  for (const auto& [number, text] :
       {std::pair{23007, "2.30.7"}, {22809, "2.28.9"}, {21304, "2.13.4"}, {2804, "2.8.4"}}) {
    api.version = number;
    CHECK(api.version_text() == text);
  }
}

TEST_CASE("types and operations have NCCL's numbers") {
  CHECK(nccl_type(DataType::kInt8, 21300) == 0);
  CHECK(nccl_type(DataType::kFloat16, 21300) == 6);
  CHECK(nccl_type(DataType::kFloat32, 21300) == 7);
  CHECK(nccl_type(DataType::kFloat64, 21300) == 8);
  CHECK(nccl_type(DataType::kBfloat16, 21300) == 9);
  CHECK(nccl_type(DataType::kFloat8e4m3, 22400) == 10);
  CHECK(nccl_type(DataType::kFloat8e5m2, 23007) == 11);
  CHECK(refusal_of([] { nccl_type(DataType::kFloat8e4m3, 22304); }) ==
        "invalid_argument: " + std::string(name_of(DataType::kFloat8e4m3)) + " needs NCCL 2.24 or newer");
  CHECK(nccl_op(ReduceOp::kSum) == 0);
  CHECK(nccl_op(ReduceOp::kProd) == 1);
  CHECK(nccl_op(ReduceOp::kMax) == 2);
  CHECK(nccl_op(ReduceOp::kMin) == 3);
  CHECK(nccl_op(ReduceOp::kAvg) == 4);
  CHECK(contains(refusal_of([] { nccl_op(ReduceOp::kPremulsum); }), "made per communicator"));
}

TEST_CASE("which CUDA an NCCL was built for stands inside the file, else in its path") {
  const TemporaryFolder folder;
  const std::string noise(5000, 'x');
  const std::string zero(1, '\0');
  const auto file = folder.file(
      "a/libnccl.so.2", noise + "NCCL version %d" + zero + "NCCL version 2.28.9+cuda13.0" + zero + noise);
  CHECK(cuda_major_of(file) == 13);
  CHECK(cuda_major_of(folder.file("nvidia/cu12/libnccl.so.2", "NCCL version 2.19.3+cuda11.8")) == 11);
  CHECK(cuda_major_of(folder.file("nvidia/cu12/lib/libnccl.so.2", noise)) == 12);
  CHECK(cuda_major_of(folder.file("cuda-12.4/lib64/libnccl.so.2")) == 12);
  CHECK_FALSE(cuda_major_of(folder.file("b/libnccl.so.2", "NCCL version 2.28")).has_value());
}
