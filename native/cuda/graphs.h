#pragma once
// Batches recorded as CUDA graphs: the host launches all calls of a batch at once.
#include <functional>
#include <utility>
#include <vector>

#include "cuda/device.h"

namespace collbench::cuda {

/// Records the work that `queue` puts on the device's stream. @returns an executable graph (cuGraphExec)
void* record_graph(Device& device, const std::function<void()>& queue);

/// Graphs of the last few batches. `Key` identifies the calls of a batch; equal keys share a graph.
template <typename Key>
class Graphs {
 public:
  explicit Graphs(Device& device) : device_(device) {}
  ~Graphs() { clear(); }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  /// Launches the graph of this batch; at its first use `queue` records it.
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
  /// Destroys all graphs, because their buffers are freed next. The stream must be idle.
  void clear() {
    for (const auto& one : recorded_) device_.driver().graph_exec_destroy(one.second);
    recorded_.clear();
  }

 private:
  /// A configuration needs two graphs (pipelined and held batches); older ones belong to finished
  /// configurations.
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
