#pragma once
// Batches recorded as CUDA graphs: one launch by the host for all calls of a batch.
#include <functional>
#include <span>
#include <vector>

#include "engines/engine.h"
#include "engines/nccl/device.h"

namespace collbench::nccl {

class Graphs {
 public:
  explicit Graphs(Device& device) : device_(device) {}
  ~Graphs() { clear(); }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;
  /// Launches the graph of these calls, recorded by `queue` when they are seen for the first time.
  void run(std::span<const Call> calls, const std::function<void()>& queue);
  /// Forgets all (their buffers are going away). The stream must be idle.
  void clear();

 private:
  struct Recorded {
    Call first;
    std::size_t calls;
    void* exec;
  };
  void* find(std::span<const Call> calls) const;
  Device& device_;
  std::vector<Recorded> recorded_;
};

}  // namespace collbench::nccl
