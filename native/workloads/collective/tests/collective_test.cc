#include "collectives/collective.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

WorkloadRequest request_of(const std::string& collective, std::int64_t bytes, bool in_place = false,
                           const std::string& dtype = "float32", const std::string& op = "sum") {
  const bool reduces = collective == "allreduce" || collective == "reducescatter" || collective == "reduce";
  const bool rooted = collective == "broadcast" || collective == "reduce";
  return {"collective",
          {{"collective", collective},
           {"dtype", dtype},
           {"op", reduces ? AxisValue(op) : AxisValue()},
           {"root", rooted ? AxisValue(std::int64_t{1}) : AxisValue()},
           {"inPlace", in_place},
           {"bytes", bytes}}};
}

}  // namespace

TEST_CASE("every collective of the cpu engine is right by its axes alone, in both places") {
  std::vector<WorkloadRequest> requests;
  for (const auto& row : kCollectiveTable)
    for (const bool in_place : {false, true})
      for (const std::int64_t bytes : {0, 48, 12'048})
        if (!in_place || has_in_place(row.kind))
          requests.push_back(request_of(std::string(row.name), bytes, in_place));
  const ExerciseResult found = exercise("cpu", "socket", 4, requests);
  for (const std::string& line : found.complaints) FAIL_CHECK(line);
  CHECK(found.compared > 0);
}

TEST_CASE("what was not moved is found") {
  const ExerciseResult found = exercise("cpu", "socket", 2, {request_of("allreduce", 4000)}, false);
  CHECK(found.compared == 2 * (1 + 1 + 5) * 1000);  // All five operations of the last batch are verified.
  CHECK(found.wrong == found.compared);
}

TEST_CASE("every call of a batch is verified by itself, those that change their own input, too") {
  for (const bool in_place : {false, true}) {
    const ExerciseResult found = exercise("cpu", "socket", 2, {request_of("allreduce", 4000, in_place)});
    for (const std::string& line : found.complaints) FAIL_CHECK(line);
    CHECK(found.compared == 2 * (1 + 1 + 5) * 1000);
  }
}

TEST_CASE("what cannot be is refused with the reason") {
  WorkloadRequest request = request_of("allreduce", 4000);
  CHECK(describe(request) == "allreduce 3.906 KiB");
  CHECK(refusal(request_of("broadcast", 4, false), 1) == "root 1 is no rank; there are 0 to 0");
  CHECK(refusal(request_of("allgather", 4)) == "4 bytes are no whole number of float32 on each of 2 ranks");
  request = {"collective", {{"collective", "allreduce"}}};
  CHECK(refusal(request) == "axis dtype is missing");
  CHECK(describe(request) == "collective");
  CHECK(refusal({"teleport", {}}).starts_with("workload 'teleport' is not part of this build; there are: "));
}

TEST_CASE("what the engine does not offer is refused with what it does") {
  CHECK(
      refusal(request_of("allreduce", 4, false, "float8e4m3"), 1) ==
      "the cpu engine does not offer dtype float8e4m3; it offers int8, uint8, int32, uint32, int64, uint64, "
      "float16, bfloat16, float32, float64");
  CHECK(refusal(request_of("allreduce", 4, false, "float32", "premulsum"), 1) ==
        "the cpu engine does not offer op premulsum; it offers sum, prod, min, max, avg");
}
