// GPUs and who computes on them, through NVIDIA's management library, opened at run time. Prototypes are
// written out here: the functions below are in every driver since 2016 and keep their form.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "metrics/facts/facts.h"

namespace collbench::facts {
namespace {

using Device = void*;
constexpr unsigned kMostGpus = 64;
constexpr int kSuccess = 0, kInsufficientSize = 7;

struct PciInfo {  // nvmlPciInfo_t of nvmlDeviceGetPciInfo_v3
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char bus_id[32];
};
struct MemoryInfo {
  unsigned long long total, free, used;
};
struct ProcessInfo {  // nvmlProcessInfo_v1_t
  unsigned pid;
  unsigned long long used;
};

/// The library for as long as it is asked.
class Management {
 public:
  explicit Management(std::string& missing) {
    handle_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      missing = dlerror();
      return;
    }
    const auto init = find<int()>("nvmlInit_v2");
    const int result = init != nullptr ? init() : -1;
    if (result != kSuccess) {
      missing = "nvmlInit_v2 gives " + std::to_string(result);
      return;
    }
    ready_ = true;
  }
  ~Management() {
    if (ready_)
      if (const auto shutdown = find<int()>("nvmlShutdown")) shutdown();
    if (handle_ != nullptr) dlclose(handle_);
  }
  Management(const Management&) = delete;
  Management& operator=(const Management&) = delete;
  [[nodiscard]] bool ready() const noexcept { return ready_; }

  template <typename Signature>
  Signature* find(const char* name) const {
    void* symbol = dlsym(handle_, name);
    Signature* function = nullptr;
    static_assert(sizeof function == sizeof symbol);
    std::memcpy(&function, &symbol, sizeof symbol);
    return function;
  }
  /// One number of a device; -1 where this driver or GPU does not tell.
  int number(const char* name, Device device) const {
    unsigned value = 0;
    const auto ask = find<int(Device, unsigned*)>(name);
    return ask != nullptr && ask(device, &value) == kSuccess ? static_cast<int>(value) : -1;
  }

 private:
  void* handle_ = nullptr;
  bool ready_ = false;
};

/// "00000000:1B:00.0" as sysfs writes it.
std::string sysfs_address(const PciInfo& pci) {
  char text[64];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", pci.domain & 0xffffu, pci.bus & 0xffu,
                pci.device & 0x1fu);
  return text;
}

int processes_on(const Management& nvml, Device device) {
  const auto ask = nvml.find<int(Device, unsigned*, ProcessInfo*)>("nvmlDeviceGetComputeRunningProcesses");
  unsigned count = 0;  // no room: only how many there are
  const int result = ask != nullptr ? ask(device, &count, nullptr) : -1;
  return result == kSuccess || result == kInsufficientSize ? static_cast<int>(count) : -1;
}

Gpu describe(const Management& nvml, Device device) {
  Gpu gpu;
  PciInfo pci{};
  char name[96] = "";
  MemoryInfo memory{};
  if (const auto ask = nvml.find<int(Device, PciInfo*)>("nvmlDeviceGetPciInfo_v3");
      ask != nullptr && ask(device, &pci) == kSuccess)
    gpu.pci = sysfs_address(pci);
  if (const auto ask = nvml.find<int(Device, char*, unsigned)>("nvmlDeviceGetName");
      ask != nullptr && ask(device, name, sizeof name) == kSuccess)
    gpu.name = name;
  if (const auto ask = nvml.find<int(Device, MemoryInfo*)>("nvmlDeviceGetMemoryInfo");
      ask != nullptr && ask(device, &memory) == kSuccess) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
    gpu.memory_used_bytes = static_cast<std::int64_t>(memory.used);
  }
  gpu.link_width = nvml.number("nvmlDeviceGetCurrPcieLinkWidth", device);
  gpu.link_width_max = nvml.number("nvmlDeviceGetMaxPcieLinkWidth", device);
  gpu.link_generation = nvml.number("nvmlDeviceGetCurrPcieLinkGeneration", device);
  gpu.link_generation_max = nvml.number("nvmlDeviceGetMaxPcieLinkGeneration", device);
  gpu.persistence = nvml.number("nvmlDeviceGetPersistenceMode", device);
  gpu.processes = processes_on(nvml, device);
  return gpu;
}

}  // namespace

Nvml read_nvml() {
  Nvml found;
  const Management nvml(found.missing);
  if (!nvml.ready()) return found;
  char version[96] = "";
  if (const auto ask = nvml.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
      ask != nullptr && ask(version, sizeof version) == kSuccess)
    found.driver = version;
  unsigned count = 0;
  const auto ask_count = nvml.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  const auto get = nvml.find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
  if (ask_count == nullptr || get == nullptr || ask_count(&count) != kSuccess) {
    found.missing = "it does not say how many GPUs there are";
    return found;
  }
  for (unsigned i = 0; i < count && i < kMostGpus; ++i) {
    Device device = nullptr;
    if (get(i, &device) == kSuccess) found.gpus.push_back(describe(nvml, device));
  }
  return found;
}

}  // namespace collbench::facts
