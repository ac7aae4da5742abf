#include <doctest/doctest.h>

#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;

TEST_CASE("what is captured runs at each launch of the graph, and not before") {
  with_ranks(3, [](FakeRank& rank) {
    auto* sum = rank.upload<int>({rank.rank + 1, 0});
    void *graph = nullptr, *exec = nullptr;
    must(cuda().capture_begin(rank.stream, 1), "cuStreamBeginCapture");
    for (int i = 0; i < 2; ++i)
      must(nccl().all_reduce(sum, sum, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    must(cuda().capture_end(rank.stream, &graph), "cuStreamEndCapture");
    must(cuda().graph_instantiate(&exec, graph, 0), "cuGraphInstantiate");
    must(cuda().graph_destroy(graph), "cuGraphDestroy");
    CHECK(rank.download<int>(sum, 1)[0] == rank.rank + 1);
    int wanted = 6 * 3;
    for (int launch = 0; launch < 3; ++launch, wanted *= 9) {
      CHECK(cuda().graph_launch(exec, rank.stream) == 0);
      CHECK(rank.download<int>(sum, 1)[0] == wanted);
    }
    CHECK(cuda().graph_exec_destroy(exec) == 0);
    CHECK(cuda().graph_exec_destroy(exec) == kInvalidHandle);
  });
}
