#include "cuda/fake/driver/stream.h"

#include <map>
#include <utility>

#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/registry.h"

namespace collbench::cuda_fake {
namespace {

/// The legacy default stream of a device, made when first used. It does not wait for other streams.
std::shared_ptr<Stream> default_stream(Device* device) {
  static auto* mutex = new std::mutex;
  static auto* streams = new std::map<Device*, std::shared_ptr<Stream>>;
  const std::lock_guard lock(*mutex);
  auto& stream = (*streams)[device];
  if (stream == nullptr) stream = Stream::start(device);
  return stream;
}

}  // namespace

std::shared_ptr<Stream> Stream::start(Device* device) {
  auto stream = std::make_shared<Stream>(device);
  stream->thread_ = std::thread([stream] { stream->run(); });
  stream->thread_.detach();
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
    // After an error the device does nothing more; work is dropped, as the driver does.
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
  if (capture_ != nullptr) {
    if (capture_->invalid) return kCaptureInvalidated;
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

int Stream::begin_capture(int mode) {
  const std::lock_guard lock(mutex_);
  if (capture_ != nullptr) return kIllegalState;
  if (mode < 0 || mode > 2) return kInvalidValue;
  capture_ = std::make_unique<Capture>();
  capture_->graph->device = device;
  capture_->thread = std::this_thread::get_id();
  capture_->mode = mode;
  return kSuccess;
}

int Stream::end_capture(std::shared_ptr<Graph>& graph) {
  const std::lock_guard lock(mutex_);
  if (capture_ == nullptr) return kIllegalState;
  if (capture_->mode != 2 && capture_->thread != std::this_thread::get_id()) return kCaptureWrongThread;
  const auto capture = std::exchange(capture_, nullptr);
  if (capture->invalid) return kCaptureInvalidated;
  graph = capture->graph;
  return kSuccess;
}

bool Stream::capturing() {
  const std::lock_guard lock(mutex_);
  return capture_ != nullptr;
}

void Stream::invalidate_capture() {
  const std::lock_guard lock(mutex_);
  if (capture_ != nullptr) capture_->invalid = true;
}

bool Stream::forbids_unsafe_calls() {
  const std::lock_guard lock(mutex_);
  if (capture_ == nullptr || capture_->invalid) return false;
  return capture_->mode == 0 || (capture_->mode == 1 && capture_->thread == std::this_thread::get_id());
}

int require_stream(void* handle, std::shared_ptr<Stream>& stream) {
  Device* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  stream = handle == nullptr ? default_stream(device) : fakes::Registry<Stream>::instance().find(handle);
  return stream == nullptr || stream->device != device ? kInvalidHandle : kSuccess;
}

void wait_for_device(Device* device) {
  default_stream(device)->wait();
  for (const auto& stream : fakes::Registry<Stream>::instance().all())
    if (stream->device == device) stream->wait();
}

int check_no_capture() {
  for (const auto& stream : fakes::Registry<Stream>::instance().all())
    if (stream->forbids_unsafe_calls()) {
      stream->invalidate_capture();
      return kCaptureUnsupported;
    }
  return kSuccess;
}

}  // namespace collbench::cuda_fake

namespace fakes = collbench::fakes;
using namespace collbench::cuda_fake;

FAKE_EXPORT int cuStreamCreate(void** stream, unsigned flags) {
  Device* device = nullptr;
  if (stream == nullptr || flags > 1) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  *stream = fakes::Registry<Stream>::instance().add(Stream::start(device));
  return kSuccess;
}

FAKE_EXPORT int cuStreamDestroy_v2(void* stream) {
  Device* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  const auto taken = fakes::Registry<Stream>::instance().take(stream);
  if (taken == nullptr) return kInvalidHandle;
  taken->close();
  return kSuccess;
}

FAKE_EXPORT int cuStreamQuery(void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (stream->capturing()) {
    stream->invalidate_capture();
    return kCaptureUnsupported;
  }
  // The error is looked at last: it is there before the work that made it counts as complete.
  return stream->idle() ? stream->device->error.load() : kNotReady;
}

FAKE_EXPORT int cuStreamSynchronize(void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (stream->capturing()) {
    stream->invalidate_capture();
    return kCaptureUnsupported;
  }
  stream->wait();
  return stream->device->error;
}

FAKE_EXPORT int cuCtxSynchronize() {
  Device* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  wait_for_device(device);
  return device->error;
}

FAKE_EXPORT int cudaFakeEnqueue(void* handle, int ordinal, int (*work)(void*), void* argument,
                                void (*release)(void*)) {
  const std::shared_ptr<void> kept(argument, release);
  const auto& all = devices();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()) return kInvalidValue;
  Device* device = all[static_cast<std::size_t>(ordinal)];
  if (device->error != kSuccess) return device->error;
  const auto stream =
      handle == nullptr ? default_stream(device) : fakes::Registry<Stream>::instance().find(handle);
  if (stream == nullptr || stream->device != device) return kInvalidHandle;
  return stream->enqueue([work, kept] { return work(kept.get()); });
}

FAKE_EXPORT int cudaFakeIsCapturing(void* handle) {
  const auto stream = fakes::Registry<Stream>::instance().find(handle);
  return stream != nullptr && stream->capturing() ? 1 : 0;
}
