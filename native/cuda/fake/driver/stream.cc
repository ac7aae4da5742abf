#include "cuda/fake/driver/stream.h"

#include <map>
#include <utility>

#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/registry.h"

namespace collbench::cuda_fake {
namespace {

using Streams = fakes::Registry<Stream>;

/// Returns the legacy default stream of a device, which is created at its first use. Unlike the driver's, it
/// does not wait for other streams.
std::shared_ptr<Stream> default_stream(FakeDevice* device) {
  static auto* mutex = new std::mutex;
  static auto* streams = new std::map<FakeDevice*, std::shared_ptr<Stream>>;
  const std::lock_guard lock(*mutex);
  auto& stream = (*streams)[device];
  if (stream == nullptr) stream = Stream::start(device);
  return stream;
}

int stream_of(void* handle, FakeDevice* device, std::shared_ptr<Stream>& stream) {
  stream = handle == nullptr ? default_stream(device) : Streams::find(handle);
  return stream == nullptr || stream->device != device ? kInvalidHandle : kSuccess;
}

}  // namespace

std::shared_ptr<Stream> Stream::start(FakeDevice* device) {
  auto stream = std::make_shared<Stream>(device);
  std::thread([stream] { stream->run(); }).detach();
  return stream;
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    // The device drops further work after an error, like the driver.
    if (device->error == kSuccess)
      if (const int result = work(); result != kSuccess) {
        int none = kSuccess;
        device->error.compare_exchange_strong(none, result);
      }
    work = nullptr;
    lock.lock();
    ++completed_;
    changed_.notify_all();
  }
}

int Stream::enqueue(Work work) {
  const std::lock_guard lock(mutex_);
  if (capture_) {
    if (capture_->lost) return kCaptureInvalidated;
    capture_->graph->work.push_back(std::move(work));
    return kSuccess;
  }
  queue_.push_back(std::move(work));
  ++queued_;
  changed_.notify_all();
  return kSuccess;
}

bool Stream::idle() {
  const std::lock_guard lock(mutex_);
  return completed_ == queued_;
}

void Stream::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this, until = queued_] { return completed_ >= until; });
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  changed_.notify_all();
}

int Stream::begin_capture() {
  const std::lock_guard lock(mutex_);
  if (capture_) return kIllegalState;
  capture_ = {std::make_shared<Graph>(Graph{device, {}}), std::this_thread::get_id()};
  return kSuccess;
}

int Stream::end_capture(std::shared_ptr<Graph>& graph) {
  const std::lock_guard lock(mutex_);
  if (!capture_) return kIllegalState;
  const auto ended = std::exchange(capture_, std::nullopt);
  if (ended->lost) return kCaptureInvalidated;
  graph = ended->graph;
  return kSuccess;
}

bool Stream::capturing() {
  const std::lock_guard lock(mutex_);
  return capture_.has_value();
}

int Stream::refuse_capture(bool only_here) {
  const std::lock_guard lock(mutex_);
  if (!capture_ || (only_here && capture_->thread != std::this_thread::get_id())) return kSuccess;
  capture_->lost = true;
  return kCaptureUnsupported;
}

int require_stream(void* handle, std::shared_ptr<Stream>& stream) {
  FakeDevice* device = nullptr;
  const int result = require_context(device);
  return result != kSuccess ? result : stream_of(handle, device, stream);
}

void wait_for_device(FakeDevice* device) {
  default_stream(device)->wait();
  for (const auto& stream : Streams::all())
    if (stream->device == device) stream->wait();
}

int check_no_capture() {
  for (const auto& stream : Streams::all())
    if (const int result = stream->refuse_capture(true); result != kSuccess) return result;
  return kSuccess;
}

}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

FAKE_EXPORT int cuStreamCreate(void** stream, unsigned /*flags*/) {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  *stream = Streams::add(Stream::start(device));
  return kSuccess;
}

FAKE_EXPORT int cuStreamDestroy_v2(void* handle) {
  const auto stream = Streams::take(handle);
  if (stream == nullptr) return kInvalidHandle;
  stream->close();
  return kSuccess;
}

FAKE_EXPORT int cuStreamQuery(void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (const int result = stream->refuse_capture(false); result != kSuccess) return result;
  // The error is read last: it is set before the work that caused it counts as complete.
  return stream->idle() ? stream->device->error.load() : kNotReady;
}

FAKE_EXPORT int cuStreamSynchronize(void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (const int result = stream->refuse_capture(false); result != kSuccess) return result;
  stream->wait();
  return stream->device->error;
}

FAKE_EXPORT int cuCtxSynchronize() {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  wait_for_device(device);
  return device->error;
}

FAKE_EXPORT int cuLaunchHostFunc(void* handle, void (*function)(void*), void* data) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  return stream->enqueue([function, data] {
    function(data);
    return kSuccess;
  });
}

FAKE_EXPORT int cudaFakeEnqueue(void* handle, int ordinal, int (*work)(void*), void* argument,
                                void (*release)(void*)) {
  const std::shared_ptr<void> kept(argument, release);
  FakeDevice* device = device_at(ordinal);
  if (device->error != kSuccess) return device->error;
  std::shared_ptr<Stream> stream;
  if (const int result = stream_of(handle, device, stream); result != kSuccess) return result;
  return stream->enqueue([work, kept] { return work(kept.get()); });
}

FAKE_EXPORT int cudaFakeIsCapturing(void* handle) {
  const auto stream = Streams::find(handle);
  return stream != nullptr && stream->capturing() ? 1 : 0;
}
