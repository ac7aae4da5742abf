#pragma once
// Streams: one thread each, which runs queued work in order; or, while capturing, a graph that collects it.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/fake/driver/device.h"

namespace collbench::cuda_fake {

/// A piece of device work; returns a CUresult. Must be repeatable: graphs run it many times.
using Work = std::function<int()>;

struct Graph {
  Device* device = nullptr;
  std::vector<Work> work;
};

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::thread::id thread;
  int mode = 0;  // 0 global, 1 thread local, 2 relaxed
  bool invalid = false;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(Device* its_device) : device(its_device) {}
  /// Makes a stream whose thread runs until close().
  static std::shared_ptr<Stream> start(Device* device);

  Device* const device;
  /// Queues, or records while capturing. @return 0 or kCaptureInvalidated
  int enqueue(Work work);
  /// True when all queued work is complete.
  bool idle();
  /// Blocks until all work queued so far is complete.
  void wait();
  /// No more work; the thread ends after what is queued.
  void close();

  int begin_capture(int mode);
  int end_capture(std::shared_ptr<Graph>& graph);
  bool capturing();
  /// A call that a capture does not bear was made: the capture is lost.
  void invalidate_capture();
  /// Whether a capture of this stream forbids calls such as cuMemAlloc in this thread.
  bool forbids_unsafe_calls();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::uint64_t queued_ = 0, completed_ = 0;
  bool closing_ = false;
  std::unique_ptr<Capture> capture_;
  std::thread thread_;
};

/// The stream behind a handle; nullptr handle = the device's default stream. @return 0, context errors or
/// kInvalidHandle (unknown, or of another device than the current one)
int require_stream(void* handle, std::shared_ptr<Stream>& stream);
/// Blocks until all work of all streams of a device is complete.
void wait_for_device(Device* device);
/// kCaptureUnsupported, and the capture is lost, when one of the running captures forbids unsafe calls here.
int check_no_capture();

}  // namespace collbench::cuda_fake
