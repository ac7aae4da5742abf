// Tests of what transport p2p chooses; nothing runs here.
#include "engines/cuda/plan.h"

#include <doctest/doctest.h>

using namespace collbench;
using namespace collbench::gpu;

namespace {

Operation allreduce_of(std::size_t bytes) {
  Operation operation;
  operation.kind = CollectiveKind::kAllreduce;
  operation.dtype = DataType::kUint8;
  operation.count = bytes;
  return operation;
}

std::string_view chosen(std::size_t bytes, int ranks, const std::string& asked = "") {
  CudaSettings settings;
  settings.algorithm = asked;
  return algorithm_of(plan_of(allreduce_of(bytes), ranks, settings));
}

}  // namespace

TEST_CASE("short vectors go in one hop of packets, long ones in two hops") {
  for (const int ranks : {2, 3, 8, 16}) {
    CHECK(chosen(1, ranks) == "one-shot");
    CHECK(chosen(16U << 10, ranks) == "one-shot");
    CHECK(chosen(std::size_t{1} << 30, ranks) != "one-shot");
  }
}

TEST_CASE("packets of every plan have places, and in two hops each rank has a part") {
  for (const char* asked : {"", "one-shot", "two-shot"})
    for (int ranks = 2; ranks <= 16; ++ranks)
      for (std::size_t bytes = 1; bytes <= (8U << 20); bytes += 1 + bytes / 3) {
        CudaSettings settings;
        settings.algorithm = asked;
        const StorePlan plan = plan_of(allreduce_of(bytes), ranks, settings);
        if (plan.way != kByPackets) continue;
        const std::size_t pairs = (bytes + 7) / 8, others = static_cast<std::size_t>(ranks) - 1;
        const std::size_t part = (pairs + others) / static_cast<std::size_t>(ranks);
        REQUIRE((plan.shape == kOneShot ? pairs : part) <= places_of(ranks));
        if (plan.shape == kTwoShot) REQUIRE(part * others < pairs);
        REQUIRE(plan.blocks <= kMaxStoreBlocks);
      }
}

TEST_CASE("an algorithm that the bytes do not allow gives way to one that they do") {
  CHECK(chosen(8, 3, "two-shot") == "loads");
  CHECK(chosen(1U << 20, 2, "staged") == "staged");
  CHECK(chosen((1U << 20) + 1, 2, "staged") == "loads");
  CHECK(chosen(64U << 20, 2, "one-shot") == "loads");
}

TEST_CASE("settings fix the grid and the piece") {
  CudaSettings settings;
  settings.algorithm = "staged";
  settings.blocks = 7;
  settings.threads = 96;
  settings.piece_bytes = 64U << 10;
  CHECK(format_shape(plan_of(allreduce_of(1U << 20), 2, settings)) == "7x96/64K");
  settings.piece_bytes = 256U << 10;
  CHECK(format_shape(plan_of(allreduce_of(1U << 20), 8, settings)) == "7x96/64K");
}

TEST_CASE("no plan has more blocks than have room") {
  CudaSettings settings;
  settings.max_blocks = 66;
  settings.max_overlapping_threads = 66;
  for (const char* asked : {"", "one-shot", "two-shot", "loads", "staged"})
    for (std::size_t bytes = 1; bytes <= (256U << 20); bytes *= 4) {
      settings.algorithm = asked;
      const StorePlan plan = plan_of(allreduce_of(bytes), 2, settings);
      CHECK(plan.blocks <= 66);
      CHECK(plan.overlaps == (plan.blocks * plan.threads <= 66));
    }
}
