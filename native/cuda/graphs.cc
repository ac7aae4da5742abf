#include "cuda/graphs.h"

namespace collbench::cuda {

void* record_graph(Device& device, const std::function<void()>& queue) {
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

}  // namespace collbench::cuda
