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

/// A piece of device work; returns a CUresult. Must be repeatable, because graphs run it many times.
using Work = std::function<int()>;

struct Graph {
  FakeDevice* device = nullptr;
  std::vector<Work> work;
};

class Stream {
 public:
  /// Makes a stream whose thread runs until close().
  static std::shared_ptr<Stream> start(FakeDevice* device);
  explicit Stream(FakeDevice* its_device) : device(its_device) {}

  FakeDevice* const device;
  /// Queues the work, or records it while capturing. @returns 0 or kCaptureInvalidated
  int enqueue(Work work);
  /// True when all queued work is complete.
  bool idle();
  /// Blocks until all work queued so far is complete.
  void wait();
  /// Accepts no more work; the thread ends after the queued work.
  void close();

  int begin_capture();
  int end_capture(std::shared_ptr<Graph>& graph);
  bool capturing();
  /// Checks a call that is illegal during a capture: if one is active, invalidates it and returns
  /// kCaptureUnsupported. @param only_here only if this thread started the capture
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

/// Gets the stream of a handle; nullptr handle = the device's default stream. @returns 0, context errors, or
/// kInvalidHandle (unknown, or of another device than the current one)
int require_stream(void* handle, std::shared_ptr<Stream>& stream);
/// Blocks until all work of all streams of a device is complete.
void wait_for_device(FakeDevice* device);
/// If this thread captures a stream, invalidates the capture and returns kCaptureUnsupported.
int check_no_capture();
int live_modules();

}  // namespace collbench::cuda_fake
