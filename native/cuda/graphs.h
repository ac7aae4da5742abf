#pragma once
// Batches recorded as CUDA graphs: the host launches all calls of a batch at once.
#include <functional>
#include <utility>
#include <vector>

#include "cuda/device.h"

namespace collbench::cuda {

/// Records the work that `queue` puts on the device's stream into a graph. @returns the executable graph
/// (CUgraphExec)
inline void* record_graph(Device& device, const std::function<void()>& queue) {
  constexpr int kCaptureThreadLocal = 1;
  const DriverApi& driver = device.driver();
  void *graph = nullptr, *exec = nullptr;
  driver.check(driver.capture_begin(device.stream(), kCaptureThreadLocal), "cuStreamBeginCapture");
  queue();
  driver.check(driver.capture_end(device.stream(), &graph), "cuStreamEndCapture");
  const int result = driver.graph_instantiate(&exec, graph, 0);
  driver.graph_destroy(graph);
  driver.check(result, "cuGraphInstantiate");
  return exec;
}

/// CUDA graphs of the latest batches (collective calls that are queued together). `Key` identifies the calls;
/// batches with equal keys use the same graph.
template <typename Key>
class Graphs {
 public:
  explicit Graphs(Device& device) : device_(device) {}
  ~Graphs() { clear(); }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  /// Launches the batch's graph on the stream. If there is none yet, first records what `queue` queues. If
  /// kKept graphs exist already, it then waits for the device and destroys the oldest.
  void run(const Key& key, const std::function<void()>& queue) {
    void* exec = find(key);
    if (exec == nullptr) {
      exec = record_graph(device_, queue);
      if (recorded_.size() >= kKept) {
        device_.drain();
        device_.driver().graph_exec_destroy(recorded_.front().second);
        recorded_.erase(recorded_.begin());
      }
      recorded_.emplace_back(key, exec);
    }
    device_.driver().check(device_.driver().graph_launch(exec, device_.stream()), "cuGraphLaunch");
  }
  /// Destroys all graphs, for example before the buffers that they use are freed, for which the stream must
  /// be idle. A graph that still runs is destroyed when it ends.
  void clear() {
    for (const auto& one : recorded_) device_.driver().graph_exec_destroy(one.second);
    recorded_.clear();
  }

 private:
  /// Number of graphs that are kept. A measured configuration needs two: for batches that start immediately,
  /// and for those that start when the host releases them. Older ones belong to finished configurations.
  static constexpr std::size_t kKept = 4;

  void* find(const Key& key) const {
    for (const auto& one : recorded_)
      if (one.first == key) return one.second;
    return nullptr;
  }
  Device& device_;
  std::vector<std::pair<Key, void*>> recorded_;
};

}  // namespace collbench::cuda
