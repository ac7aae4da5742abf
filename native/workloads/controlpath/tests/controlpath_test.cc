#include <doctest/doctest.h>

#include "core/error.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

WorkloadRequest request(const std::string& path, std::int64_t puts, std::int64_t batch, std::int64_t bytes,
                        std::int64_t queues = 1, const std::string& granularity = "block") {
  return {"controlpath",
          {{"path", path},
           {"granularity", path == "triggered" ? AxisValue(granularity) : AxisValue()},
           {"scope", std::string("thread")},
           {"queues", queues},
           {"puts", puts},
           {"batch", batch},
           {"bytes", bytes}}};
}

}  // namespace

TEST_CASE("each path puts the right bytes, whatever their number, length and doorbells") {
  std::vector<WorkloadRequest> requests;
  for (const char* path : {"host", "stream", "proxy", "triggered", "kernel"})
    for (const std::int64_t bytes : {8, 24, 4096, 100'000}) {
      requests.push_back(request(path, 1, 1, bytes));
      requests.push_back(request(path, 8, 4, bytes, 3));
    }
  for (const char* granularity : {"thread", "block", "kernel"})
    requests.push_back(request("triggered", 32, 8, 64, 2, granularity));
  for (const char* queue : {"rc", "dc"}) {
    CAPTURE(queue);
    const ExerciseResult found = exercise("cpu", {"ibgda", queue}, 2, requests);
    for (const std::string& complaint : found.complaints) MESSAGE(complaint);
    CHECK(found.wrong == 0);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("puts that never come are found by verification") {
  const ExerciseResult found = exercise("cpu", "ibgda", 2, {request("kernel", 1, 1, 64)}, false);
  CHECK(found.wrong > 0);
}

TEST_CASE("a transport without such queues, other ranks and a batch that does not divide are refused") {
  CHECK_THROWS_WITH_AS(exercise("cpu", "socket", 2, {request("kernel", 1, 1, 64)}),
                       doctest::Contains("need --transport ibgda"), Error);
  CHECK_THROWS_WITH_AS(exercise("cpu", "ibgda", 3, {request("kernel", 1, 1, 64)}),
                       doctest::Contains("2 ranks, not 3"), Error);
  CHECK_THROWS_WITH_AS(exercise("cpu", "ibgda", 2, {request("kernel", 6, 4, 64)}),
                       doctest::Contains("batch 4 does not divide puts 6"), Error);
}
