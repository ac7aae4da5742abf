#pragma once
// Streams. Each has a thread that runs queued work in order; while capturing it records a graph instead.
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

/// Work queued on a stream (kernel, copy, event); returns a CUresult. It must be possible to run it several
/// times, because a graph runs it at every launch.
using Work = std::function<int()>;

struct Graph {
  FakeDevice* device = nullptr;
  std::vector<Work> work;
};

class Stream {
 public:
  /// Creates a stream with a thread that runs until close().
  static std::shared_ptr<Stream> start(FakeDevice* device);
  explicit Stream(FakeDevice* its_device) : device(its_device) {}

  FakeDevice* const device;
  /// Queues the work; while the stream is being captured, adds it to the graph instead. After an error of the
  /// device its work is dropped.
  /// @returns 0 or kCaptureInvalidated
  int enqueue(Work work);
  /// Returns true if all queued work is complete.
  bool idle();
  /// Blocks until all work that is queued now is complete.
  void wait();
  /// Makes the stream's thread end after the queued work. Nothing may be queued afterwards.
  void close();

  int begin_capture();
  int end_capture(std::shared_ptr<Graph>& graph);
  bool capturing();
  /// Called by functions that are illegal during a capture. If the stream is captured, makes the capture
  /// invalid and returns kCaptureUnsupported; otherwise 0. @param only_here true: only if the calling thread
  /// started the capture
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

/// Sets `stream` to the stream of a handle; null = the device's default stream. @returns 0, an error of
/// require_context(), or kInvalidHandle (unknown, or a stream of another than the current device)
int require_stream(void* handle, std::shared_ptr<Stream>& stream);
/// Blocks until all work on all streams of a device is complete.
void wait_for_device(FakeDevice* device);
/// If the calling thread captures a stream, makes the capture invalid and returns kCaptureUnsupported;
/// otherwise returns 0.
int check_no_capture();
int live_modules();

}  // namespace collbench::cuda_fake
