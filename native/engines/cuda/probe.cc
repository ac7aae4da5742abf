#include "engines/cuda/probe.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "cuda/computations.h"
#include "cuda/graphs.h"
#include "cuda/nvrtc_api.h"
#include "cuda/probe.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {
namespace {

void probe_card(Availability& found, const std::string& transport, const TransportOptions& options) {
  TransportOptions its = options;
  its.doorbells = DoorbellSide::kGpuKernels;
  const Availability card = find_transport(transport)->probe(its);
  found.medium = card.medium;
  found.detail = card.detail;
  if (!card.available) found.miss(card.reason, card.remedy);
}

Availability look(const std::string& transport, const TransportOptions& options,
                  const CudaSettings& settings) {
  Availability found;
  if (!has_transport(transport)) {
    found.miss("The cuda engine has no transport \"" + transport + "\".", "Take p2p or ibgda.");
    return found;
  }
  const cuda::GpuProbe gpus = cuda::probe_gpus(settings.gpus);
  found.facts.insert(gpus.facts.begin(), gpus.facts.end());
  for (const auto& [reason, remedy] : gpus.missing) found.miss(reason, remedy);
  if (gpus.driver_version != 0) {
    std::string why;
    if (const cuda::NvrtcApi* nvrtc = cuda::open_nvrtc(gpus.driver_version / 1000, &why))
      found.facts["nvrtc.path"] = nvrtc->path;
    else
      found.miss("The kernels of the cuda engine are compiled by NVRTC: " + why,
                 "Install it (pip install nvidia-cuda-nvrtc, of the driver's CUDA, or the CUDA toolkit).");
  }
  if (transport == "p2p") {
    found.detail.local_path = LocalPath::kGpuStores;
    const auto offered = settings.gpus.empty() ? static_cast<std::size_t>(gpus.gpus) : settings.gpus.size();
    if (gpus.driver != nullptr && offered == 1 && !settings.share_gpu)
      found.miss("p2p needs two GPUs of one machine, and there is one.",
                 "Take a machine with more GPUs, or --share-gpu.");
  } else {
    probe_card(found, transport, options);
  }
  found.available = found.reason.empty();
  if (found.available && gpus.driver->fake) {
    found.medium = Medium::kEmulated;
    found.detail.is_fake = true;
  }
  return found;
}

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

bool has_transport(const std::string& name) noexcept { return name == "p2p" || name == "ibgda"; }

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  try {
    return look(transport, options, parse_settings(settings));
  } catch (const std::exception& error) {
    return refused(error, "Change that setting; engines/cuda/README.md lists them.");
  }
}

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
