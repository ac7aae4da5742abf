#include "cuda/driver_api.h"
#include "cuda/probe.h"
#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::cuda;
using namespace collbench::cuda_tests;

TEST_CASE("a failed CUDA call carries the code's name") {
  DriverApi api;
  api.error_name = [](int result, const char** text) {
    if (result != 2) return 1;
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return 0;
  };
  CHECK_NOTHROW(api.check(0, "cuMemAlloc_v2"));
  CHECK(refusal_of([&] { api.check(2, "cuMemAlloc_v2 of 1 GiB"); }) ==
        "unavailable: cuMemAlloc_v2 of 1 GiB failed with CUDA_ERROR_OUT_OF_MEMORY (2)");
  CHECK(contains(refusal_of([&] { api.check(9999, "cuInit"); }), "an unknown CUDA error (9999)"));
}

TEST_CASE("the driver's release is found in both wordings of the kernel module") {
  CHECK(driver_release_in(
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.06  Wed Jun 26 06:46:07 UTC 2024\n"
            "GCC version:  gcc version 11.4.0\n") == "535.183.06");
  CHECK(driver_release_in(
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (a@b)\n") ==
        "580.159.04");
  CHECK(driver_release_in("").empty());
  CHECK(driver_release_in("GCC version 12.2.0\n").empty());
}
