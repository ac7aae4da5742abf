#include "engines/nccl/graphs.h"

namespace collbench::nccl {
namespace {

constexpr int kCaptureThreadLocal = 1;
/// A cell needs two (pipelined and gated batches); older ones belong to cells that are done.
constexpr std::size_t kKept = 4;

bool same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.op == b.op && a.root == b.root &&
         a.in_place == b.in_place && a.count == b.count;
}

}  // namespace

void* Graphs::find(std::span<const Call> calls) const {
  for (const Recorded& one : recorded_)
    if (one.calls == calls.size() && one.first.send == calls[0].send && one.first.recv == calls[0].recv &&
        same(one.first.operation, calls[0].operation))
      return one.exec;
  return nullptr;
}

void Graphs::run(std::span<const Call> calls, const std::function<void()>& queue) {
  const CudaApi& cuda = device_.cuda();
  void* exec = find(calls);
  if (exec == nullptr) {
    void* graph = nullptr;
    cuda.check(cuda.capture_begin(device_.stream(), kCaptureThreadLocal), "cuStreamBeginCapture");
    queue();
    cuda.check(cuda.capture_end(device_.stream(), &graph), "cuStreamEndCapture");
    const int result = cuda.graph_instantiate(&exec, graph, 0);
    cuda.graph_destroy(graph);
    cuda.check(result, "cuGraphInstantiate");
    if (recorded_.size() >= kKept) {
      device_.drain();
      cuda.graph_exec_destroy(recorded_.front().exec);
      recorded_.erase(recorded_.begin());
    }
    recorded_.push_back({calls[0], calls.size(), exec});
  }
  cuda.check(cuda.graph_launch(exec, device_.stream()), "cuGraphLaunch");
}

void Graphs::clear() {
  for (const Recorded& one : recorded_) device_.cuda().graph_exec_destroy(one.exec);
  recorded_.clear();
}

}  // namespace collbench::nccl
