#include "engines/cpu/ring_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "engines/cpu/direct.h"

using namespace collbench;
using cpu::plan_ring;
using cpu::RingPlan;

TEST_CASE("what a rank sends in a step is as long as what its right neighbour receives in it") {
  for (const CollectiveKind kind : cpu::ring_kinds())
    for (int ranks = 2; ranks <= 9; ++ranks)
      for (const std::size_t count : {0UL, 1UL, 8UL, 1003UL})
        for (const int root : {0, ranks - 1}) {
          Operation operation;
          operation.kind = kind;
          operation.count = count;
          operation.root = root;
          for (int rank = 0; rank < ranks; ++rank) {
            RingPlan mine, next;
            plan_ring(operation, rank, ranks, mine);
            plan_ring(operation, (rank + 1) % ranks, ranks, next);
            CHECK(mine.longest == next.longest);
            std::vector<std::size_t> sent, received;
            for (const auto& step : mine.steps)
              if (step.sends) sent.push_back(step.send_length);
            for (const auto& step : next.steps)
              if (step.receives) received.push_back(step.receive_length);
            CHECK(sent == received);
          }
        }
}

TEST_CASE("a collective that does not go round the ring has no plan, and none is made up") {
  const auto known = cpu::ring_kinds();
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    Operation operation;
    operation.kind = static_cast<CollectiveKind>(k);
    operation.count = 8;
    RingPlan plan;
    INFO(name_of(operation.kind));
    if (std::find(known.begin(), known.end(), operation.kind) == known.end())
      CHECK_THROWS_WITH_AS(plan_ring(operation, 0, 2, plan),
                           ("the ring has no plan for " + std::string(name_of(operation.kind))).c_str(),
                           Error);
    else
      CHECK_NOTHROW(plan_ring(operation, 0, 2, plan));
  }
}

TEST_CASE("what goes in one hop is a part of what goes round the ring") {
  const auto ring = cpu::ring_kinds();
  for (int k = 0; k < kCollectiveKindCount; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    INFO(name_of(kind));
    if (cpu::DirectExecutor::supports(kind)) CHECK(std::find(ring.begin(), ring.end(), kind) != ring.end());
  }
}

TEST_CASE("ring allreduce moves 2(n-1)/n of the vector per rank, the least there is") {
  Operation operation;
  operation.count = 7000;
  RingPlan plan;
  plan_ring(operation, 3, 7, plan);
  std::size_t sent = 0;
  for (const auto& step : plan.steps) sent += step.send_length;
  CHECK(sent == 2 * 6 * 1000);
}
