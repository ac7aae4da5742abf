#include <doctest/doctest.h>

#include "core/error.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {
WorkloadRequest wait_of(std::int64_t ns) { return {"null", {{"waitNs", ns}}}; }
}  // namespace

TEST_CASE("waits are counted on every rank, by an engine that has nothing") {
  const ExerciseResult found = exercise("toy", "none", 3, {wait_of(0), wait_of(1000)});
  CHECK(found.compared == 2 * 3 * 3);
  CHECK(found.wrong == 0);
  CHECK(describe(wait_of(1000)) == "wait of 1000 ns");
}

TEST_CASE("an engine that does not know of it offers it: its clock is the host's") {
  CHECK(exercise("cpu", "socket", 2, {wait_of(1000)}).wrong == 0);
  CHECK(offers_of(*find_engine(engines(), "cpu")).contains("null"));
  CHECK_FALSE(offers_of(*find_engine(engines(), "nccl")).contains("null"));
}

TEST_CASE("a wait that did not happen is found") {
  const ExerciseResult found = exercise("toy", "none", 2, {wait_of(0)}, false);
  CHECK(found.wrong == found.compared);
}

TEST_CASE("the toy engine refuses what it does not offer") {
  CHECK_THROWS_WITH_AS(exercise("toy", "none", 1, {{"collective", {}}}),
                       doctest::Contains("the toy engine does not offer workload collective; it offers "),
                       Error);
  CHECK_THROWS_WITH_AS(exercise("toy", "none", 1, {wait_of(-1)}),
                       "axis waitNs must be an integer from 0 to 1000000000, got -1", Error);
  CHECK_THROWS_WITH_AS(exercise("toy", "none", 2, {{"p2p", {}}}),
                       doctest::Contains("the toy engine does not offer workload p2p"), Error);
}
