// Events, and graphs made by capturing a stream.
#include <chrono>
#include <condition_variable>

#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/registry.h"

using namespace collbench::cuda_fake;

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  FakeDevice* device = nullptr;
  bool timed = true;
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t recorded = 0, complete = 0;  // numbers of cuEventRecord calls; the last one counts
  Clock::time_point stamp;
  bool captured = false;  // the last record went into a graph, where it sets no time
};
using Events = collbench::fakes::Registry<Event>;
using Graphs = collbench::fakes::Registry<Graph>;
/// Result of cuGraphInstantiate: a graph that no longer changes.
struct GraphExec : Graph {};
using GraphExecs = collbench::fakes::Registry<GraphExec>;

/// Sets `stamp` to the time of an event. @returns 0; kInvalidHandle if the event does not exist or has no
/// time; kNotReady if the work before it is not complete
int time_of(void* handle, Clock::time_point& stamp) {
  const auto event = Events::find(handle);
  if (event == nullptr) return kInvalidHandle;
  const std::lock_guard lock(event->mutex);
  if (event->recorded == 0 || event->captured || !event->timed) return kInvalidHandle;
  stamp = event->stamp;
  return event->complete < event->recorded ? kNotReady : kSuccess;
}

}  // namespace

FAKE_EXPORT int cuEventCreate(void** handle, unsigned flags) {
  constexpr unsigned kDisableTiming = 2;
  auto event = std::make_shared<Event>();
  if (const int result = require_context(event->device); result != kSuccess) return result;
  event->timed = (flags & kDisableTiming) == 0;
  *handle = Events::add(std::move(event));
  return kSuccess;
}

FAKE_EXPORT int cuEventDestroy_v2(void* event) {
  return Events::take(event) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT int cuEventRecord(void* handle, void* stream_handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(stream_handle, stream); result != kSuccess) return result;
  const auto event = Events::find(handle);
  if (event == nullptr || event->device != stream->device) return kInvalidHandle;
  const std::lock_guard lock(event->mutex);
  ++event->recorded;
  event->captured = stream->capturing();
  if (event->captured) return kSuccess;
  return stream->enqueue([event, turn = event->recorded] {
    const auto now = Clock::now();
    const std::lock_guard inner(event->mutex);
    event->complete = turn;
    event->stamp = now;
    event->changed.notify_all();
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cuEventSynchronize(void* handle) {
  const auto event = Events::find(handle);
  if (event == nullptr) return kInvalidHandle;
  std::unique_lock lock(event->mutex);
  event->changed.wait(lock, [&] { return event->complete >= event->recorded; });
  return event->device->error;
}

FAKE_EXPORT int cuEventElapsedTime(float* ms, void* start, void* end) {
  Clock::time_point first, last;
  const int from = time_of(start, first), to = time_of(end, last);
  *ms = std::chrono::duration<float, std::milli>(last - first).count();
  return from == kInvalidHandle || to == kInvalidHandle ? kInvalidHandle : from != kSuccess ? from : to;
}

FAKE_EXPORT int cuStreamBeginCapture_v2(void* handle, int /*mode*/) {
  std::shared_ptr<Stream> stream;
  const int result = require_stream(handle, stream);
  return result != kSuccess ? result : stream->begin_capture();
}

FAKE_EXPORT int cuStreamEndCapture(void* handle, void** graph) {
  std::shared_ptr<Stream> stream;
  *graph = nullptr;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  std::shared_ptr<Graph> captured;
  const int result = stream->end_capture(captured);
  if (result == kSuccess) *graph = Graphs::add(std::move(captured));
  return result;
}

FAKE_EXPORT int cuGraphInstantiateWithFlags(void** exec, void* handle, unsigned long long /*flags*/) {
  const auto graph = Graphs::find(handle);
  if (graph == nullptr) return kInvalidHandle;
  *exec = GraphExecs::add(std::make_shared<GraphExec>(GraphExec{*graph}));
  return kSuccess;
}

FAKE_EXPORT int cuGraphLaunch(void* handle, void* stream_handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(stream_handle, stream); result != kSuccess) return result;
  const auto exec = GraphExecs::find(handle);
  if (exec == nullptr || exec->device != stream->device) return kInvalidHandle;
  return stream->enqueue([exec] {
    for (const Work& step : exec->work)
      if (const int result = step(); result != kSuccess) return result;
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cuGraphExecDestroy(void* exec) {
  return GraphExecs::take(exec) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT int cuGraphDestroy(void* graph) {
  return Graphs::take(graph) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT CudaFakeLive cudaFakeLive() {
  int contexts = 0;
  for (const FakeDevice* device : devices()) contexts += device->retained > 0 ? 1 : 0;
  return {count_memory(false),
          count_memory(true),
          collbench::fakes::Registry<Stream>::size(),
          Events::size(),
          Graphs::size(),
          GraphExecs::size(),
          live_modules(),
          contexts};
}
