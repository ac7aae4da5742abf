#pragma once
// Batches recorded as CUDA graphs: one launch by the host for all calls of a batch.
#include <functional>
#include <utility>
#include <vector>

#include "cuda/device.h"

namespace collbench::cuda {

/// What `queue` puts on the device's stream, as an executable graph (cuGraphExec).
void* record_graph(Device& device, const std::function<void()>& queue);

/// The graphs of the last few batches. `Key` says which calls a batch is made of; equal keys share a graph.
template <typename Key>
class Graphs {
 public:
  explicit Graphs(Device& device) : device_(device) {}
  ~Graphs() { clear(); }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  /// Launches the graph of this batch, recorded by `queue` when it is seen for the first time.
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
  /// Forgets all (their buffers are going away). The stream must be idle.
  void clear() {
    for (const auto& one : recorded_) device_.driver().graph_exec_destroy(one.second);
    recorded_.clear();
  }

 private:
  /// A cell needs two (pipelined and held batches); older ones belong to cells that are done.
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
