#include "engines/nvshmem/tuning.h"

#include <algorithm>

#include "cuda/tests/harness.h"

using namespace collbench;
using namespace collbench::nvshmem;

namespace {

constexpr std::size_t KiB = 1024, MiB = KiB * KiB;

Operation allreduce(bool in_place = false) {
  Operation operation;
  operation.in_place = in_place;
  return operation;
}

bool fits(const LaunchPlan& plan) {
  const auto& [blocks, threads, packet] = plan.point;
  return blocks >= 1 && blocks <= kMaxBlocks && threads >= kMinThreads && threads <= kMaxThreads &&
         threads % 32 == 0 && packet >= kMinPacket && packet <= kMaxPacket && packet % 16 == 0;
}

}  // namespace

TEST_CASE("small vectors go in one shot, middle ones in two, long ones round the ring") {
  const NvshmemSettings free;
  CHECK(usual_plan(allreduce(), 8, 2, free).algorithm == kCollbenchNvshmemOneShot);
  CHECK(usual_plan(allreduce(), 256 * KiB, 2, free).algorithm == kCollbenchNvshmemOneShot);
  CHECK(usual_plan(allreduce(), 2 * MiB, 2, free).algorithm == kCollbenchNvshmemTwoShot);
  CHECK(usual_plan(allreduce(), 256 * KiB, 8, free).algorithm == kCollbenchNvshmemTwoShot);
  CHECK(usual_plan(allreduce(), 16 * MiB, 8, free).algorithm == kCollbenchNvshmemRing);
  Operation alltoall;
  alltoall.kind = CollectiveKind::kAlltoall;
  CHECK(usual_plan(alltoall, 8, 2, free).algorithm == kCollbenchNvshmemDirect);
}

TEST_CASE(
    "a warp is enough for 8 bytes; a vector of packets has a thread for each as far as there are blocks") {
  const LaunchPlan least = usual_plan(allreduce(), 8, 2, {});
  CHECK(format_shape(least) == "1x32");
  const LaunchPlan more = usual_plan(allreduce(), 64 * KiB, 2, {});
  CHECK(format_shape(more) == "16x512");
}

TEST_CASE(
    "one-shot in place beyond what packets hold would read what it overwrites: two-shot takes its place") {
  NvshmemSettings one_shot;
  one_shot.algorithm = "one-shot";
  CHECK(usual_plan(allreduce(true), MiB, 2, one_shot).algorithm == kCollbenchNvshmemOneShot);
  CHECK(usual_plan(allreduce(true), 2 * MiB, 2, one_shot).algorithm == kCollbenchNvshmemTwoShot);
  CHECK(usual_plan(allreduce(false), 2 * MiB, 2, one_shot).algorithm == kCollbenchNvshmemOneShot);
  for (const LaunchPlan& plan : candidates(allreduce(true), 2 * MiB, 2, one_shot))
    CHECK(plan.algorithm == kCollbenchNvshmemTwoShot);
  one_shot.blocks = 64;  // Half of the largest grid can hold half as much.
  CHECK(usual_plan(allreduce(true), MiB, 2, one_shot).algorithm == kCollbenchNvshmemTwoShot);
  CHECK(usual_plan(allreduce(true), MiB / 2, 2, one_shot).algorithm == kCollbenchNvshmemOneShot);
}

TEST_CASE("no point that is tried in place gives a block more than its packets hold") {
  NvshmemSettings one_shot;
  one_shot.algorithm = "one-shot";
  for (const NvshmemSettings& settings : {NvshmemSettings{}, one_shot})
    for (std::size_t bytes = 8; bytes <= 2 * MiB; bytes *= 2)
      for (const LaunchPlan& plan : candidates(allreduce(true), bytes, 2, settings))
        if (plan.algorithm == kCollbenchNvshmemOneShot)
          CHECK(bytes <= static_cast<std::size_t>(plan.point.blocks) * kFlaggedBytesPerBlock);
}

TEST_CASE("what is tried can run, begins with the usual one and is tried once") {
  for (std::size_t bytes = 4; bytes <= 1024 * MiB; bytes *= 4)
    for (const char* name :
         {"", "one-shot", "two-shot", "ring", "simple-ring", "alternating-rings", "tree", "nvshmem"}) {
      NvshmemSettings settings;
      settings.algorithm = name;
      const auto plans = candidates(allreduce(), bytes, 2, settings);
      REQUIRE(!plans.empty());
      CHECK(format_shape(plans.front()) == format_shape(usual_plan(allreduce(), bytes, 2, settings)));
      for (std::size_t i = 0; i < plans.size(); ++i) {
        CHECK(fits(plans[i]));
        if (*name != '\0') CHECK(kAlgorithms[plans[i].algorithm] == name);
        for (std::size_t j = 0; j < i; ++j)
          CHECK(
              (format_shape(plans[i]) != format_shape(plans[j]) || plans[i].algorithm != plans[j].algorithm));
      }
    }
}

TEST_CASE("what is fixed by hand stays fixed, and alone is nothing to try") {
  NvshmemSettings fixed;
  fixed.algorithm = "ring";
  fixed.blocks = 64;
  fixed.threads = 256;
  for (const LaunchPlan& plan : candidates(allreduce(), 16 * MiB, 2, fixed)) {
    CHECK(plan.point.blocks == 64);
    CHECK(plan.point.threads == 256);
  }
  fixed.packet_bytes = 32 * KiB;
  const auto plans = candidates(allreduce(), 16 * MiB, 2, fixed);
  CHECK(plans.size() == 1);
  CHECK(format_shape(plans.front()) == "64x256/32K");
}

TEST_CASE("a transfer has a block for every 64 KiB") {
  CHECK(point_of_transfer(8, {}).blocks == 1);
  CHECK(point_of_transfer(MiB, {}).blocks == 16);
  CHECK(point_of_transfer(1024 * MiB, {}).blocks == kMaxBlocks);
}
