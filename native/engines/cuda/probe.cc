#include "engines/cuda/probe.h"

#include <exception>

#include "cuda/nvrtc_api.h"
#include "cuda/probe.h"
#include "engines/cuda/settings.h"

namespace collbench::gpu {
namespace {

std::string sentence(const std::string& text) { return text.ends_with('.') ? text : text + "."; }

void miss(Availability& found, const std::string& reason, const std::string& remedy) {
  found.reason += (found.reason.empty() ? "" : " ") + sentence(reason);
  if (found.remedy.find(remedy) == std::string::npos)
    found.remedy += (found.remedy.empty() ? "" : " ") + remedy;
}

Availability look(const std::string& transport, const TransportOptions& options,
                  const CudaSettings& settings) {
  Availability found;
  const TransportEntry* entry = transport == "ibgda" ? find_transport(transport) : nullptr;
  if (entry == nullptr) {
    miss(found, "The cuda engine has no transport \"" + transport + "\".", "Take ibgda.");
    return found;
  }
  const cuda::GpuLook gpus = cuda::look_at_gpus(settings.gpus);
  found.facts.insert(gpus.facts.begin(), gpus.facts.end());
  for (const auto& [reason, remedy] : gpus.missing) miss(found, reason, remedy);
  if (gpus.driver_version != 0) {
    std::string why;
    if (const cuda::NvrtcApi* nvrtc = cuda::open_nvrtc(gpus.driver_version / 1000, &why))
      found.facts["nvrtc.path"] = nvrtc->path;
    else
      miss(found, "The kernels of the cuda engine are compiled by NVRTC: " + why,
           "Install it (pip install nvidia-cuda-nvrtc, of the driver's CUDA, or the CUDA toolkit).");
  }
  TransportOptions its = options;
  its.initiators = kInitiators;
  const Availability card = entry->probe(its);
  found.medium = card.medium;
  if (!card.available) miss(found, card.reason, card.remedy);
  found.available = found.reason.empty();
  if (!found.available) return found;
  found.detail = card.detail;
  if (gpus.driver->fake) {
    found.medium = Medium::kEmulated;
    found.detail += ", GPUs faked on host memory";
  }
  return found;
}

}  // namespace

Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings) {
  try {
    return look(transport, options, parse_settings(settings));
  } catch (const std::exception& error) {
    Availability refused;
    refused.reason = sentence(error.what());
    refused.remedy = "Change that setting; engines/cuda/README.md lists them.";
    return refused;
  }
}

}  // namespace collbench::gpu
