#include <doctest/doctest.h>

#include "engines/nccl/double/tests/ranks.h"

using namespace double_test;

namespace {

const CudaApi& cuda() { return library().cuda; }
constexpr int kThreadLocal = 1, kCaptureUnsupported = 900, kCaptureInvalidated = 901;

void* captured(Rank& rank, const std::function<void()>& queue) {
  void *graph = nullptr, *exec = nullptr;
  must(cuda().capture_begin(rank.stream, kThreadLocal), "cuStreamBeginCapture");
  queue();
  must(cuda().capture_end(rank.stream, &graph), "cuStreamEndCapture");
  must(cuda().graph_instantiate(&exec, graph, 0), "cuGraphInstantiate");
  must(cuda().graph_destroy(graph), "cuGraphDestroy");
  return exec;
}

}  // namespace

TEST_CASE("what is captured runs at each launch of the graph, and not before") {
  with_ranks(3, [](Rank& rank) {
    const NcclApi& nccl = library().nccl;
    auto* sum = rank.upload<int>({rank.rank + 1, 0});
    void* exec = captured(rank, [&] {
      for (int i = 0; i < 2; ++i)
        must(nccl.all_reduce(sum, sum, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    });
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

TEST_CASE("waiting for a stream that captures loses the capture") {
  Rank rank(0, 1, NcclUniqueId{});
  void* graph = nullptr;
  REQUIRE(cuda().capture_begin(rank.stream, kThreadLocal) == 0);
  CHECK(cuda().stream_synchronize(rank.stream) == kCaptureUnsupported);
  CHECK(cuda().capture_end(rank.stream, &graph) == kCaptureInvalidated);
  CHECK(graph == nullptr);
  CHECK(cuda().capture_end(rank.stream, &graph) == 401);
  CHECK(rank.drain() == 0);
}

TEST_CASE("allocating while this thread captures loses the capture") {
  Rank rank(0, 1, NcclUniqueId{});
  void* graph = nullptr;
  std::uint64_t at = 0;
  REQUIRE(cuda().capture_begin(rank.stream, kThreadLocal) == 0);
  CHECK(cuda().allocate(&at, 8) == kCaptureUnsupported);
  CHECK(cuda().capture_end(rank.stream, &graph) == kCaptureInvalidated);
}

TEST_CASE("an event recorded in a capture has no time") {
  Rank rank(0, 1, NcclUniqueId{});
  void* event = nullptr;
  REQUIRE(cuda().event_create(&event, 0) == 0);
  void* exec = captured(rank, [&] { CHECK(cuda().event_record(event, rank.stream) == 0); });
  CHECK(cuda().graph_launch(exec, rank.stream) == 0);
  CHECK(rank.drain() == 0);
  float ms = 0;
  CHECK(cuda().event_elapsed(&ms, event, event) == kInvalidHandle);
  CHECK(cuda().graph_exec_destroy(exec) == 0);
  CHECK(cuda().event_destroy(event) == 0);
}
