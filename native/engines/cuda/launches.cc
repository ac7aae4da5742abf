#include "engines/cuda/launches.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "cuda/computations.h"
#include "cuda/graphs.h"

namespace collbench::gpu {
namespace {

constexpr int kWarmups = 10, kSamples = 51;

struct EmptyArguments {
  unsigned none;
};
constexpr const char* kSource =
    "struct Nothing { unsigned none; };\n"
    "extern \"C\" __global__ void collbench_nothing(Nothing) {}\n";

struct Cost {
  std::int64_t call_ns, whole_ns;
};

Cost measure(cuda::Device& device, const std::function<void()>& start) {
  std::vector<std::int64_t> calls, wholes;
  for (int n = 0; n < kWarmups + kSamples; ++n) {
    const std::int64_t begin = now_ns();
    start();
    const std::int64_t called = now_ns();
    for (Spinner spinner; !device.idle();) spinner.step();
    if (n < kWarmups) continue;
    calls.push_back(called - begin);
    wholes.push_back(now_ns() - begin);
  }
  const auto median = [](std::vector<std::int64_t>& values) {
    std::nth_element(values.begin(), values.begin() + kSamples / 2, values.end());
    return values[kSamples / 2];
  };
  return {median(calls), median(wholes)};
}

}  // namespace

std::map<std::string, std::string> measure_launches(cuda::Device& device) {
  if (device.driver().fake) return {};
  cuda::Computations computations(device);
  const Computation nothing{kSource, "collbench_nothing", sizeof(EmptyArguments), [](const void*) {}};
  const EmptyArguments none{0};
  const auto queue = [&] { computations.launch(nothing, &none, 1); };
  const Cost kernel = measure(device, queue);
  cuda::Graphs<int> graphs(device);
  const Cost graph = measure(device, [&] { graphs.run(0, queue); });
  device.drain();
  return {{"launch.callNs", std::to_string(kernel.call_ns)},
          {"launch.kernelNs", std::to_string(kernel.whole_ns)},
          {"launch.graphNs", std::to_string(graph.whole_ns)}};
}

}  // namespace collbench::gpu
