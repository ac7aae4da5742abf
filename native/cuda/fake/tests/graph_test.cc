#include <doctest/doctest.h>

#include <functional>

#include "cuda/fake/tests/device.h"

using namespace fake_test;

namespace {

constexpr int kThreadLocal = 1, kCaptureUnsupported = 900, kCaptureInvalidated = 901;

void* captured(OnDevice& device, const std::function<void()>& queue) {
  void *graph = nullptr, *exec = nullptr;
  must(cuda().capture_begin(device.stream, kThreadLocal), "cuStreamBeginCapture");
  queue();
  must(cuda().capture_end(device.stream, &graph), "cuStreamEndCapture");
  must(cuda().graph_instantiate(&exec, graph, 0), "cuGraphInstantiate");
  must(cuda().graph_destroy(graph), "cuGraphDestroy");
  return exec;
}

}  // namespace

TEST_CASE("waiting for a stream that captures loses the capture") {
  OnDevice device;
  void* graph = nullptr;
  REQUIRE(cuda().capture_begin(device.stream, kThreadLocal) == 0);
  CHECK(cuda().stream_synchronize(device.stream) == kCaptureUnsupported);
  CHECK(cuda().capture_end(device.stream, &graph) == kCaptureInvalidated);
  CHECK(graph == nullptr);
  CHECK(cuda().capture_end(device.stream, &graph) == 401);
  CHECK(device.drain() == 0);
}

TEST_CASE("allocating while this thread captures loses the capture") {
  OnDevice device;
  void* graph = nullptr;
  std::uint64_t at = 0;
  REQUIRE(cuda().capture_begin(device.stream, kThreadLocal) == 0);
  CHECK(cuda().allocate(&at, 8) == kCaptureUnsupported);
  CHECK(cuda().capture_end(device.stream, &graph) == kCaptureInvalidated);
}

TEST_CASE("an event recorded in a capture has no time") {
  OnDevice device;
  void* event = nullptr;
  REQUIRE(cuda().event_create(&event, 0) == 0);
  void* exec = captured(device, [&] { CHECK(cuda().event_record(event, device.stream) == 0); });
  CHECK(cuda().graph_launch(exec, device.stream) == 0);
  CHECK(device.drain() == 0);
  float ms = 0;
  CHECK(cuda().event_elapsed(&ms, event, event) == kInvalidHandle);
  CHECK(cuda().graph_exec_destroy(exec) == 0);
  CHECK(cuda().event_destroy(event) == 0);
}
