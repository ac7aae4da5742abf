#include <doctest/doctest.h>

#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

WorkloadRequest traffic_request(const std::string& script, std::int64_t mean, std::int64_t busiest,
                                std::int64_t sent) {
  return {"matrix",
          {{"collective", "alltoallv"},
           {"matrix", "by hand"},
           {"dtype", "int32"},
           {"bytes", mean},
           {"busiestBytes", busiest},
           {"sentBytes", sent},
           {"receivers", AxisValue()}},
          script};
}

}  // namespace

TEST_CASE("traffic matrix: empty parts, long parts and a size of 0 are right on every transport") {
  // No rank sends anything to itself. Rank 1 receives most: 7,000 + 3 elements.
  const std::vector<WorkloadRequest> requests = {
      traffic_request("0 7000 1\n5 0 2\n0 3 0\n", 9'348, 28'012, 28'044),
      traffic_request("0 0 0\n0 0 0\n0 0 0\n", 0, 0, 0), traffic_request("4 0 0\n0 4 0\n0 0 4\n", 16, 0, 0)};
  for (const std::string& transport : runnable_transports()) {
    CAPTURE(transport);
    const ExerciseResult found = exercise("cpu", transport, 3, requests);
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared > 0);
  }
}

TEST_CASE("traffic matrix: one rank copies its own part") {
  const ExerciseResult found = exercise("cpu", "socket", 1, {traffic_request("100\n", 400, 0, 0)});
  for (const std::string& line : found.complaints) FAIL_CHECK(line);
  CHECK(found.compared > 0);
}

TEST_CASE("traffic matrix: parts that were not moved are found") {
  const ExerciseResult found =
      exercise("cpu", "socket", 2, {traffic_request("1 2\n3 4\n", 20, 12, 20)}, false);
  CHECK(found.compared > 0);
  CHECK(found.wrong == found.compared);
}

TEST_CASE("traffic matrix: axes that contradict the matrix are refused") {
  CHECK(refusal(traffic_request("1 2\n3 4\n", 20, 8, 20), 2) ==
        "axis busiestBytes is 8, the traffic matrix has 12");
  CHECK(refusal(traffic_request("1 2\n3 4\n", 20, 12, 24), 2) ==
        "axis sentBytes is 24, the traffic matrix has 20");
  CHECK(describe(traffic_request("1 2\n3 4\n", 20, 12, 20)) == "alltoallv by hand 20 B");
}
