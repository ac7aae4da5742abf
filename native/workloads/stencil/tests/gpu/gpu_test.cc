// Tests of the stencil on GPUs that the fake driver simulates in host memory. Kernels run as their twins; all
// other code is what real GPUs use.
#include <doctest/doctest.h>
#include <stdlib.h>

#include "core/error.h"
#include "workloads/stencil/kernels.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

const bool named = setenv("COLLBENCH_CUDA_LIBRARY", COLLBENCH_CUDA_FAKE, 1) == 0 &&
                   setenv("COLLBENCH_NVRTC_LIBRARY", COLLBENCH_NVRTC_FAKE, 1) == 0 &&
                   setenv("CUDA_FAKE_DEVICES", "4", 1) == 0;  // Set before any GPU is opened.

WorkloadRequest request_of(const std::string& path, std::int64_t grid, const std::string& part = "iteration",
                           const std::string& dtype = "float32") {
  return {"stencil",
          {{"part", part}, {"scaling", "strong"}, {"dtype", dtype}, {"path", path}, {"grid", grid}}};
}

std::vector<WorkloadRequest> requests_of(const std::vector<std::string>& paths) {
  std::vector<WorkloadRequest> requests;
  for (const std::string& path : paths) {
    for (const char* part : {"iteration", "halo", "update"}) requests.push_back(request_of(path, 37, part));
    requests.push_back(request_of(path, 9, "iteration", "float64"));
  }
  return requests;
}

void check_equal(const std::string& transport, int ranks, const std::vector<WorkloadRequest>& requests) {
  const ExerciseResult found = exercise("cuda", transport, ranks, requests);
  for (const std::string& complaint : found.complaints) MESSAGE(complaint);
  CHECK(found.wrong == 0);
  CHECK(found.compared > 0);
}

}  // namespace

TEST_CASE("stencil: whoever starts the puts of GPUs, they compute what one rank computes") {
  REQUIRE(named);
  for (const int ranks : {1, 2, 4})
    check_equal("ibgda", ranks, requests_of({"host", "stream", "proxy", "triggered", "kernel"}));
}

TEST_CASE("stencil: GPUs that store into each other's memory compute what one rank computes") {
  for (const int ranks : {1, 2, 4}) check_equal("p2p", ranks, requests_of({"kernel", "host"}));
}

TEST_CASE("stencil: several blocks store a long halo, whose end is no whole number of quads") {
  REQUIRE(stencil::blocks_of(4'099 * 8) > 1);
  check_equal("p2p", 2,
              {request_of("kernel", 4'099, "halo", "float64"), request_of("kernel", 4'099, "halo")});
}

TEST_CASE("stencil: many exchanges are queued before the host waits, and rings go round") {
  for (const auto& [path, queue] : {std::pair{"stream", "rc"},
                                    {"triggered", "rc"},
                                    {"kernel", "rc"},
                                    {"kernel", "dc"},
                                    {"proxy", "rc"}}) {
    CAPTURE(path);
    CAPTURE(queue);
    const ExerciseResult found =
        exercise("cuda", {"ibgda", queue}, 2, {request_of(path, 16, "halo")}, true, 200);
    for (const std::string& complaint : found.complaints) MESSAGE(complaint);
    CHECK(found.wrong == 0);
  }
}

TEST_CASE("stencil: an exchange that did not happen on GPUs is found") {
  for (const char* transport : {"ibgda", "p2p"}) {
    const ExerciseResult found = exercise("cuda", transport, 2, {request_of("kernel", 16, "halo")}, false);
    CHECK(found.wrong == found.compared);
    CHECK(found.wrong > 0);
  }
}

TEST_CASE("stencil: over stores there are no queues to ring, and paths that need them are refused") {
  try {
    exercise("cuda", "p2p", 2, {request_of("stream", 16)});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    CHECK(std::string(error.what()).find("--transport ibgda") != std::string::npos);
  }
}
