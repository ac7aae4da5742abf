// Tests of control paths with GPUs as initiators, on GPUs that the fake driver simulates in host memory.
// Kernels run as their twins; all other code is what real GPUs use.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <set>

#include "core/error.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

const bool named = setenv("COLLBENCH_CUDA_LIBRARY", COLLBENCH_CUDA_FAKE, 1) == 0 &&
                   setenv("COLLBENCH_NVRTC_LIBRARY", COLLBENCH_NVRTC_FAKE, 1) == 0 &&
                   setenv("CUDA_FAKE_DEVICES", "4", 1) == 0;  // Set before any GPU is opened.

WorkloadRequest request(const std::string& path, std::int64_t puts, std::int64_t batch, std::int64_t bytes,
                        std::int64_t queues = 1, const std::string& scope = "thread",
                        const std::string& granularity = "block") {
  return {"controlpath",
          {{"path", path},
           {"granularity", path == "triggered" ? AxisValue(granularity) : AxisValue()},
           {"scope", scope},
           {"queues", queues},
           {"puts", puts},
           {"batch", batch},
           {"bytes", bytes}}};
}

std::int64_t of(const OperationColumns& columns, const std::string& name) { return columns.at(name).back(); }

}  // namespace

TEST_CASE("each path puts the right bytes out of device memory, whatever their number, doorbells and scope") {
  REQUIRE(named);
  std::vector<WorkloadRequest> requests;
  for (const char* path : {"host", "stream", "proxy", "triggered", "kernel"}) {
    for (const std::int64_t bytes : {8, 24, 4096}) requests.push_back(request(path, 1, 1, bytes));
    for (const char* scope : {"thread", "warp", "block"})
      requests.push_back(request(path, 32, 8, 64, 3, scope));
  }
  for (const char* granularity : {"thread", "block", "kernel"})
    requests.push_back(request("triggered", 32, 8, 64, 2, "thread", granularity));
  for (const char* queue : {"rc", "dc"}) {
    CAPTURE(queue);
    const ExerciseResult found = exercise("cuda", {"ibgda", queue}, 2, requests);
    for (const std::string& complaint : found.complaints) MESSAGE(complaint);
    CHECK(found.wrong == 0);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("queues go round their rings many times") {
  // The test has 1,152 puts and as many completions; rings have 256 entries.
  std::vector<WorkloadRequest> requests;
  for (const char* path : {"host", "stream", "proxy", "triggered", "kernel"})
    requests.push_back(request(path, 128, 1, 8));
  CHECK(exercise("cuda", "ibgda", 2, requests).wrong == 0);
  CHECK(exercise("cuda", {"ibgda", "dc"}, 2, {requests.back()}).wrong == 0);
}

TEST_CASE("puts that never come are found by verification") {
  CHECK(exercise("cuda", "ibgda", 2, {request("kernel", 1, 1, 64)}, false).wrong > 0);
}

TEST_CASE("what each path asks of host and card is counted exactly, and its steps are all of its time") {
  struct Expected {
    const char* path;
    std::int64_t doorbells, launches, wakeups;
    std::set<std::string> steps;
  };
  const Expected all[] = {
      {"host", 12, 2, 2, {"post", "launch", "compute", "handover", "ring", "completion", "resume", "finish"}},
      {"stream", 12, 2, 1, {"post", "launch", "compute", "stream", "finish"}},
      {"proxy",
       12,
       1,
       2,
       {"post", "launch", "compute", "handover", "ring", "completion", "resume", "finish"}},
      {"triggered", 12, 1, 1, {"post", "launch", "compute", "trigger", "ring", "completion", "finish"}},
      {"kernel", 12, 1, 1, {"post", "launch", "compute", "ring", "completion", "finish"}}};
  for (const Expected& one : all) {
    INFO(one.path);
    const OperationColumns columns = columns_of("cuda", "ibgda", request(one.path, 32, 8, 64, 3));
    CHECK(of(columns, "entries") == 96);
    CHECK(of(columns, "doorbells") == one.doorbells);
    CHECK(of(columns, "completions") == 12);
    CHECK(of(columns, "clock") >= 0);
    CHECK(of(columns, "launches") == one.launches);
    CHECK(of(columns, "wakeups") == one.wakeups);
    std::set<std::string> steps;
    for (const auto& [name, values] : columns)
      if (!std::set<std::string>{"entries", "doorbells", "completions", "launches", "wakeups", "total",
                                 "clock"}
               .contains(name))
        steps.insert(name);
    CHECK(steps == one.steps);
    std::int64_t sum = 0;
    for (const std::string& step : steps) sum += of(columns, step);
    CHECK(sum <= of(columns, "total"));
    CHECK(sum > 0);
  }
}

TEST_CASE("a counter per thread, block or kernel rings as often as its thresholds are met") {
  for (const auto& [granularity, doorbells] : {std::pair{"thread", 4}, {"block", 4}, {"kernel", 1}}) {
    const OperationColumns columns =
        columns_of("cuda", "ibgda", request("triggered", 32, 8, 64, 1, "thread", granularity));
    CHECK(of(columns, "doorbells") == doorbells);
  }
}
