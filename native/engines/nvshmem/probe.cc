#include "engines/nvshmem/probe.h"

#include <exception>

#include "core/error.h"
#include "cuda/nvrtc_api.h"
#include "cuda/probe.h"
#include "engines/nvshmem/network.h"
#include "engines/nvshmem/settings.h"
#include "engines/nvshmem/toolchain.h"
#include "transports/ibgda/library.h"
#include "transports/ibgda/lookalikes.h"

namespace collbench::nvshmem {
namespace {

constexpr std::string_view kFake = "/libnvshmem-fake.so";
constexpr int kFirstCapability = 70;  // Lowest compute capability that NVSHMEM supports.

void probe_gpus(Availability& found, const std::vector<int>& wanted) {
  const cuda::GpuProbe look = cuda::probe_gpus(wanted);
  found.facts.insert(look.facts.begin(), look.facts.end());
  for (const auto& [reason, remedy] : look.missing) found.miss(reason, remedy);
  if (look.driver == nullptr) return;
  if (look.driver->fake) found.medium = Medium::kEmulated;
  const auto offered = wanted.empty() ? static_cast<std::size_t>(look.gpus) : wanted.size();
  if (offered == 1)
    found.miss("p2p needs two GPUs of one machine, and there is one.", "Take a machine with more GPUs.");
  std::string why;
  if (const cuda::NvrtcApi* nvrtc = cuda::open_nvrtc(look.driver_version / 1000, &why))
    found.facts["nvrtc.path"] = nvrtc->path;
  else
    found.facts["nvrtc.missing"] = why;  // This is no obstacle, because the host can fill and compare.
  for (int gpu = 0; gpu < look.gpus; ++gpu) {
    const auto capability = look.facts.find("gpu." + std::to_string(gpu) + ".capability");
    if (capability != look.facts.end() && std::stod(capability->second) * 10 < kFirstCapability)
      found.miss("GPU " + std::to_string(gpu) + " has compute capability " + capability->second +
                     ", and NVSHMEM needs 7.0.",
                 "Take newer GPUs with --gpus.");
  }
}

/// Checks the adapter and adds what it found, also the software adapter if that replaces a real one.
void probe_card(Availability& found, const TransportOptions& options) {
  try {
    if (ibgda::wants_software_card(options)) {
      ibgda::check_lookalikes(options);
      for (const auto& [name, value] : environment_of(kNetwork, options)) found.facts["env." + name] = value;
      found.medium = Medium::kEmulated;
      found.detail.software_card = "softmlx5";
      found.detail.link = options.link.empty() ? "none" : options.link;
      return;
    }
    if (ibgda::adapters_in().empty())
      found.miss("ibgda needs a ConnectX adapter: the GPU writes its queues.",
                 "Use a machine with ConnectX-5 or newer, or measure over p2p.");
  } catch (const Error& error) {
    found.miss(error.what(), "Use a machine with a ConnectX adapter, or measure over p2p.");
  }
}

Availability look(const std::string& transport, const TransportOptions& options,
                  const NvshmemSettings& settings) {
  Availability found;
  if (transport != "p2p" && transport != kNetwork) {
    found.miss("The nvshmem engine has no transport \"" + transport + "\".", "Take p2p or ibgda.");
    return found;
  }
  probe_gpus(found, settings.gpus);
  const NvshmemToolchainSearch tools = find_toolchain(settings.library);
  if (!tools.found.library.empty()) {
    found.facts["nvshmem.path"] = tools.found.library;
    found.facts["nvshmem.how"] = tools.how;
  }
  if (!tools.found.version.empty()) found.facts["nvshmem.version"] = tools.found.version;
  if (!tools.found.nvcc.empty()) found.facts["nvcc.path"] = tools.found.nvcc;
  if (!tools.why_not.empty())
    found.miss(
        tools.why_not,
        "Install NVSHMEM (pip install nvidia-nvshmem-cu13, of the driver's CUDA) and the CUDA toolkit, or "
        "name "
        "NVSHMEM with --nvshmem.");
  const bool is_fake = found.medium == Medium::kEmulated;
  if (is_fake && !tools.found.library.ends_with(kFake))
    found.miss("The GPU driver is a fake, and this NVSHMEM needs a real one.",
               "Take a machine with NVIDIA GPUs.");
  if (transport == kNetwork) probe_card(found, options);
  for (const auto& [name, value] : variables_of(transport, options))
    found.facts["env." + name] = name == "SOFTMLX5_FABRIC" ? "(the run's secret)" : value;
  found.available = found.reason.empty();
  found.detail.library =
      "NVSHMEM " + (tools.found.version.empty() ? "of " + tools.found.library : tools.found.version);
  found.detail.library_transport = transport;
  if (is_fake) found.detail.is_fake = true;
  return found;
}

}  // namespace

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  try {
    return look(transport, options, parse_settings(settings));
  } catch (const std::exception& error) {
    return refused(error, "Change that setting; engines/nvshmem/README.md lists them.");
  }
}

}  // namespace collbench::nvshmem
