#include <doctest/doctest.h>

#include "core/clock.h"
#include "core/error.h"
#include "workloads/replay/compute_time.h"
#include "workloads/replay/script.h"
#include "workloads/tests/exercise.h"

using namespace collbench;
using namespace collbench::test;

namespace {

constexpr const char* kStep =
    "call broadcast float32 - 0 97600\n"
    "call broadcast int64 - 0 368\n"
    "wait\n"
    "compute 300000\n"
    "call allreduce float32 sum - 512400\n"
    "compute 200000\n"
    "call allgather bfloat16 - - 24000\n"
    "call reducescatter float32 sum - 96000\n"
    "call reduce int32 max 1 48000\n"
    "wait\n"
    "compute 100000\n";

WorkloadRequest request_of(const std::string& script, const std::string& computing = "device") {
  WorkloadRequest request{"replay",
                          {{"job", "made"},
                           {"computing", computing},
                           {"computePercent", std::int64_t{100}},
                           {"computeNs", std::int64_t{600'000}},
                           {"calls", std::int64_t{6}},
                           {"bytes", std::int64_t{1}},
                           {"sentBytes", std::int64_t{1}}}};
  request.script = script;
  return request;
}

std::string script_refusal(const std::string& script, int ranks = 2) {
  try {
    replay::parse(script, ranks);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

std::int64_t least(const std::vector<std::int64_t>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace

TEST_CASE("a script is items in order, and its calls in place where there is such a thing") {
  const replay::Script script = replay::parse(kStep, 2);
  CHECK(script.items.size() == 11);
  REQUIRE(script.calls.size() == 6);
  CHECK(script.items[3].ns == 300'000);
  CHECK(script.items[6].number == 3);
  CHECK(script.calls[2].in_place);
  CHECK(script.calls[2].count == 128'100);
  CHECK(script.calls[3].count == 6'000);
  CHECK(script.calls[5].root == 1);
  CHECK_FALSE(replay::parse("call alltoall float32 - - 48000", 2).calls[0].in_place);
}

TEST_CASE("what a script cannot say is refused with its line") {
  CHECK(script_refusal("") == "the script of a job has no call");
  CHECK(script_refusal("wait\ncompute x") ==
        "line 2 of the script ('compute x'): 'x' is no number from 0 to 3600000000000");
  CHECK(script_refusal("sleep 1") ==
        "line 1 of the script ('sleep 1'): 'sleep' is none of compute, call, wait");
  CHECK(script_refusal("wait 1") == "line 1 of the script ('wait 1'): '1' is too much");
  CHECK(script_refusal("call broadcast float32 - 2 8").find("root 2 is no rank") != std::string::npos);
  CHECK(script_refusal("call allreduce float32 more - 8").find("axis op") != std::string::npos);
}

TEST_CASE("bytes are padded to whole elements on each rank") {
  CHECK(replay::parse("call allreduce float32 sum - 6", 3).calls[0].count == 2);
  CHECK(replay::parse("call allgather float16 - - 7", 3).calls[0].count == 2);
  CHECK(replay::parse("call reducescatter float64 max - 48", 3).calls[0].count == 2);
}

TEST_CASE("every call of a step is verified, on every transport, whoever computes") {
  for (const std::string& transport : runnable_transports())
    for (const int ranks : {2, 3}) {
      CAPTURE(transport);
      CAPTURE(ranks);
      const ExerciseResult all =
          exercise("cpu", transport, ranks, {request_of(kStep), request_of(kStep, "core")});
      CHECK(all.wrong == 0);
      CHECK(all.compared > 0);
    }
}

/// Script for four ranks: tensor parallel pairs, data parallel pairs across them, and all ranks.
constexpr const char* kGroupedStep =
    "call allreduce bfloat16 sum - 8192 2x1\n"
    "wait\n"
    "call reducescatter float32 sum - 64000 2x2\n"
    "call allgather float32 - - 64000 2x2\n"
    "compute 100000\n"
    "call broadcast float32 - 1 4096 2x1\n"
    "call allreduce float32 sum - 8 4x1\n"
    "call allreduce float32 sum - 512\n"
    "call sendrecv float32 - - 4096 2x2\n";

TEST_CASE("groups: each has its ranks, at one distance") {
  const replay::GroupLayout apart{3, 2};
  CHECK(apart.with(0) == std::vector<int>{0, 2, 4});
  CHECK(apart.with(5) == std::vector<int>{1, 3, 5});
  CHECK(apart.with(8) == std::vector<int>{6, 8, 10});
  CHECK(apart.position_of(8) == 1);
  const replay::Script script = replay::parse(kGroupedStep, 4);
  CHECK(script.groups[0] == replay::GroupLayout{2, 1});
  CHECK(script.groups[5].is_all());
  CHECK(script.calls[1].count == 8'000);  // The group has two ranks.
}

TEST_CASE("groups that the ranks do not make are refused") {
  CHECK(script_refusal(kGroupedStep, 3).find("3 ranks make no groups 2x1") != std::string::npos);
  CHECK(script_refusal("call allreduce float32 sum - 8 2", 4).find("'2' is no group, as 4x1") !=
        std::string::npos);
  CHECK(script_refusal("call allreduce float32 sum - 8 1x1", 4).find("'1x1' is no group") !=
        std::string::npos);
  CHECK(script_refusal("call broadcast float32 - 2 8 2x2", 4).find("root 2 is no rank") != std::string::npos);
}

TEST_CASE("calls of groups are verified, on every transport, beside those of all ranks") {
  for (const std::string& transport : runnable_transports()) {
    CAPTURE(transport);
    const ExerciseResult all = exercise("cpu", transport, 4, {request_of(kGroupedStep), request_of(kStep)});
    CHECK(all.wrong == 0);
    CHECK(all.compared > 0);
  }
  CHECK(exercise("cpu", "socket", 4, {request_of(kGroupedStep)}, false).wrong > 0);
}

TEST_CASE("a step that was not run is found wrong, with the call that is") {
  const ExerciseResult all = exercise("cpu", "socket", 2, {request_of(kStep)}, false);
  CHECK(all.wrong > 0);
  REQUIRE_FALSE(all.complaints.empty());
  CHECK(all.complaints[0].find("call ") != std::string::npos);
}

TEST_CASE("steps know how long was computed, waited and moved") {
  const OperationColumns columns = columns_of("cpu", "socket", request_of(kStep));
  CHECK(least(columns.at("computing")) >= 600'000);
  CHECK(least(columns.at("collectives")) > 0);
  for (std::size_t i = 0; i < columns.at("total").size(); ++i)
    CHECK(columns.at("total")[i] >= columns.at("computing")[i] + columns.at("exposed")[i]);
  CHECK(columns.at("issued")[0] == 6);
}

TEST_CASE("computing on the rank's core takes its time of the core, and ends when the launch does") {
  const std::int64_t began = now_ns();
  replay::compute(replay::ComputeMode::kCore, 2'000'000, [] {});
  CHECK(now_ns() - began >= 2'000'000);
  for (const auto by : {replay::ComputeMode::kDevice, replay::ComputeMode::kCore})
    CHECK_THROWS_AS(
        replay::compute(by, 3'600'000'000'000, [] { throw Error(ErrorCode::kCancelled, "the launch ends"); }),
        Error);
}
