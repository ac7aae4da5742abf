// Events, and graphs made by capturing a stream.
#include <chrono>
#include <memory>
#include <mutex>

#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/module.h"
#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/registry.h"

namespace collbench::cuda_fake {
namespace {

constexpr unsigned kDisableTiming = 2;

struct Event {
  Device* device = nullptr;
  unsigned flags = 0;
  std::mutex mutex;
  std::uint64_t recorded = 0, complete = 0;  // turns of cuEventRecord; the last one counts
  std::int64_t stamp_ns = 0;
  bool captured = false;  // its last record went into a graph, where it stamps nothing
};

struct GraphExec {
  Device* device = nullptr;
  std::shared_ptr<const std::vector<Work>> work;
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// @return 0, or why the event has no time yet
int time_of(Event& event, std::int64_t& stamp_ns) {
  const std::lock_guard lock(event.mutex);
  if (event.recorded == 0 || event.captured || (event.flags & kDisableTiming) != 0) return kInvalidHandle;
  if (event.complete < event.recorded) return kNotReady;
  stamp_ns = event.stamp_ns;
  return kSuccess;
}

}  // namespace
}  // namespace collbench::cuda_fake

namespace fakes = collbench::fakes;
using namespace collbench::cuda_fake;

FAKE_EXPORT int cuEventCreate(void** event, unsigned flags) {
  Device* device = nullptr;
  if (event == nullptr || flags > 7) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  auto made = std::make_shared<Event>();
  made->device = device;
  made->flags = flags;
  *event = fakes::Registry<Event>::instance().add(std::move(made));
  return kSuccess;
}

FAKE_EXPORT int cuEventDestroy_v2(void* event) {
  Device* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  return fakes::Registry<Event>::instance().take(event) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT int cuEventRecord(void* handle, void* stream_handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(stream_handle, stream); result != kSuccess) return result;
  const auto event = fakes::Registry<Event>::instance().find(handle);
  if (event == nullptr || event->device != stream->device) return kInvalidHandle;
  const std::lock_guard lock(event->mutex);
  ++event->recorded;
  event->captured = stream->capturing();
  if (event->captured) return kSuccess;
  return stream->enqueue([event, turn = event->recorded] {
    const std::int64_t now = now_ns();
    const std::lock_guard inner(event->mutex);
    event->complete = turn;
    event->stamp_ns = now;
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cuEventElapsedTime(float* ms, void* start, void* end) {
  Device* device = nullptr;
  if (ms == nullptr) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  const auto first = fakes::Registry<Event>::instance().find(start),
             last = fakes::Registry<Event>::instance().find(end);
  if (first == nullptr || last == nullptr || first->device != last->device) return kInvalidHandle;
  std::int64_t from_ns = 0, to_ns = 0;
  const int from = time_of(*first, from_ns), to = time_of(*last, to_ns);
  if (from == kInvalidHandle || to == kInvalidHandle) return kInvalidHandle;
  if (from != kSuccess || to != kSuccess) return kNotReady;
  *ms = static_cast<float>(static_cast<double>(to_ns - from_ns) / 1e6);
  return kSuccess;
}

FAKE_EXPORT int cuStreamBeginCapture_v2(void* handle, int mode) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  return handle == nullptr ? static_cast<int>(kCaptureUnsupported) : stream->begin_capture(mode);
}

FAKE_EXPORT int cuStreamEndCapture(void* handle, void** graph) {
  std::shared_ptr<Stream> stream;
  if (graph == nullptr) return kInvalidValue;
  *graph = nullptr;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  std::shared_ptr<Graph> captured;
  const int result = stream->end_capture(captured);
  if (result == kSuccess) *graph = fakes::Registry<Graph>::instance().add(std::move(captured));
  return result;
}

FAKE_EXPORT int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long /*flags*/) {
  Device* device = nullptr;
  if (exec == nullptr) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  const auto found = fakes::Registry<Graph>::instance().find(graph);
  if (found == nullptr) return kInvalidHandle;
  auto made = std::make_shared<GraphExec>();
  made->device = found->device;
  made->work = std::make_shared<const std::vector<Work>>(found->work);
  *exec = fakes::Registry<GraphExec>::instance().add(std::move(made));
  return kSuccess;
}

FAKE_EXPORT int cuGraphLaunch(void* exec, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  const auto found = fakes::Registry<GraphExec>::instance().find(exec);
  if (found == nullptr || found->device != stream->device) return kInvalidHandle;
  return stream->enqueue([work = found->work] {
    for (const Work& step : *work)
      if (const int result = step(); result != kSuccess) return result;
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cuGraphExecDestroy(void* exec) {
  return fakes::Registry<GraphExec>::instance().take(exec) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT int cuGraphDestroy(void* graph) {
  return fakes::Registry<Graph>::instance().take(graph) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT CudaFakeLive cudaFakeLive() {
  return {memory_table().count(false),
          memory_table().count(true),
          fakes::Registry<Stream>::instance().size(),
          fakes::Registry<Event>::instance().size(),
          fakes::Registry<Graph>::instance().size(),
          fakes::Registry<GraphExec>::instance().size(),
          fakes::Registry<Module>::instance().size(),
          live_contexts()};
}
