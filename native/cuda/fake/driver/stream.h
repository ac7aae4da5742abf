#pragma once
// Streams: one thread each, which runs queued work in order; or, while capturing, a graph that collects it.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
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

class Stream {
 public:
  /// Makes a stream whose thread runs until close().
  static std::shared_ptr<Stream> start(Device* device);
  explicit Stream(Device* its_device) : device(its_device) {}

  Device* const device;
  /// Queues, or records while capturing. @return 0 or kCaptureInvalidated
  int enqueue(Work work);
  /// True when all queued work is complete.
  bool idle();
  /// Blocks until all work queued so far is complete.
  void wait();
  /// No more work; the thread ends after what is queued.
  void close();

  int begin_capture();
  int end_capture(std::shared_ptr<Graph>& graph);
  bool capturing();
  /// For calls that a capture does not bear: kCaptureUnsupported, and the capture is lost, where there is
  /// one; with `only_here` where this thread began it.
  int refuse_capture(bool only_here);

 private:
  struct Capture {
    std::shared_ptr<Graph> graph;
    std::thread::id thread;
    bool lost = false;
  };
  void run();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  std::uint64_t queued_ = 0, completed_ = 0;
  bool closing_ = false;
  std::optional<Capture> capture_;
};

/// The stream behind a handle; nullptr handle = the device's default stream. @return 0, context errors or
/// kInvalidHandle (unknown, or of another device than the current one)
int require_stream(void* handle, std::shared_ptr<Stream>& stream);
/// Blocks until all work of all streams of a device is complete.
void wait_for_device(Device* device);
/// kCaptureUnsupported, and the capture is lost, when this thread captures a stream.
int check_no_capture();
int live_modules();

}  // namespace collbench::cuda_fake
