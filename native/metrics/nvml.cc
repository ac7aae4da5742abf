#include "metrics/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace collbench::metrics {

template <typename Function>
void Nvml::find(Function& function, const char* name, const char* newer) {
  void* symbol = newer == nullptr ? nullptr : dlsym(library_, newer);
  if (symbol == nullptr) symbol = dlsym(library_, name);
  function = reinterpret_cast<Function>(symbol);
}

Nvml::Nvml(const std::string& library) : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    const char* why = dlerror();
    throw Error(ErrorCode::kUnavailable, why == nullptr ? library + " cannot be opened" : why);
  }
  nvml::Return (*init)() = nullptr;
  nvml::Return (*count)(unsigned*) = nullptr;
  find(init, "nvmlInit_v2");
  find(shutdown, "nvmlShutdown");
  find(error_string, "nvmlErrorString");
  find(count, "nvmlDeviceGetCount_v2");
  find(handle, "nvmlDeviceGetHandleByIndex_v2");
  std::string trouble;
  if (init == nullptr || shutdown == nullptr || error_string == nullptr || count == nullptr ||
      handle == nullptr) {
    trouble = library + " lacks functions that every NVML has";
  } else if (const nvml::Return result = init(); result != nvml::kSuccess) {
    trouble = std::string("nvmlInit: ") + words(result);
  } else if (const nvml::Return counted = count(&gpus_); counted != nvml::kSuccess || gpus_ == 0) {
    trouble =
        counted == nvml::kSuccess ? "NVML sees no GPU" : std::string("nvmlDeviceGetCount: ") + words(counted);
    shutdown();
  }
  if (!trouble.empty()) {
    dlclose(library_);
    throw Error(ErrorCode::kUnavailable, trouble);
  }
  find(utilization, "nvmlDeviceGetUtilizationRates");
  find(memory, "nvmlDeviceGetMemoryInfo");
  find(power, "nvmlDeviceGetPowerUsage");
  find(energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(temperature, "nvmlDeviceGetTemperature");
  find(clock, "nvmlDeviceGetClockInfo");
  find(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",
       "nvmlDeviceGetCurrentClocksEventReasons");
  find(pcie_replays, "nvmlDeviceGetPcieReplayCounter");
  find(ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(driver_version, "nvmlSystemGetDriverVersion");
  find(gpu_name, "nvmlDeviceGetName");
  find(gpu_uuid, "nvmlDeviceGetUUID");
  find(pci_info, "nvmlDeviceGetPciInfo_v3");
  find(link_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(link_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
  find(link_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(link_generation_max, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(persistence, "nvmlDeviceGetPersistenceMode");
  find(compute_processes, "nvmlDeviceGetComputeRunningProcesses");
  find(nvlink_state, "nvmlDeviceGetNvLinkState");
  find(field_values, "nvmlDeviceGetFieldValues");
  find(nvlink_remote_pci, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  find(nvlink_remote_kind, "nvmlDeviceGetNvLinkRemoteDeviceType");
}

Nvml::~Nvml() {
  shutdown();
  dlclose(library_);
}

nvml::Device Nvml::gpu(unsigned index) const {
  nvml::Device device = nullptr;
  if (const nvml::Return result = handle(index, &device); result != nvml::kSuccess)
    throw Error(ErrorCode::kUnavailable, "GPU " + std::to_string(index) + ": " + words(result));
  return device;
}

std::vector<unsigned> visible_gpus(const char* listed, unsigned count,
                                   const std::function<std::string(unsigned)>& uuid_of) {
  std::vector<unsigned> all(count);
  std::iota(all.begin(), all.end(), 0U);
  if (listed == nullptr || std::string_view(listed).find("MIG-") != std::string_view::npos) return all;
  const auto number_of = [&](std::string_view word) -> std::optional<unsigned> {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size())
      return number < count ? std::optional(number) : std::nullopt;
    if (!word.starts_with("GPU-")) return std::nullopt;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](unsigned gpu) { return uuid_of(gpu).starts_with(word); });
    return found == all.end() ? std::nullopt : std::optional(*found);
  };
  std::vector<unsigned> found;
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, comma);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    while (word.ends_with(' ')) word.remove_suffix(1);
    const std::optional<unsigned> number = number_of(word);
    if (!number) break;
    found.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace collbench::metrics
