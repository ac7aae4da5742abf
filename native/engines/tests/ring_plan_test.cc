#include "engines/cpu/ring_plan.h"

#include <doctest/doctest.h>

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

TEST_CASE("ring allreduce moves 2(n-1)/n of the vector per rank, the least there is") {
  Operation operation;
  operation.count = 7000;
  RingPlan plan;
  plan_ring(operation, 3, 7, plan);
  std::size_t sent = 0;
  for (const auto& step : plan.steps) sent += step.send_length;
  CHECK(sent == 2 * 6 * 1000);
}
