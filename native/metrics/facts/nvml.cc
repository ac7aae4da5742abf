// GPUs and the processes that compute on them, from NVIDIA's management library.
#include "metrics/nvml.h"

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "metrics/facts/facts.h"

namespace collbench::facts {
namespace {

using metrics::nvml::Device;
using metrics::nvml::kInsufficientSize;
using metrics::nvml::kSuccess;

constexpr unsigned kMaxGpus = 64;
constexpr int kMaxLinks = 64;
constexpr unsigned kMaxPlausible = 10'000'000;

using Number = metrics::nvml::Return (*)(Device, unsigned*);

/// Asks NVML for one number about a GPU, such as its PCIe link width; -1 if driver or GPU does not report it.
/// @param ask function of NVML for this number; nullptr if this version of the library lacks it
int number(Number ask, Device device) {
  unsigned value = 0;
  return ask != nullptr && ask(device, &value) == kSuccess ? static_cast<int>(value) : -1;
}

/// Returns the PCI address in the form of sysfs: "0000:1b:00.0".
std::string sysfs_address(const metrics::nvml::PciInfo& pci) {
  char text[64];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", pci.domain & 0xffffU, pci.bus & 0xffU,
                pci.device & 0x1fU);
  return text;
}

/// NVML's ids (NVML_FI_DEV_...) of values that nvmlDeviceGetFieldValues() can read.
enum FieldId : unsigned { kNvlinkSpeedMBps = 90, kNvlinkCount = 91, kOneNvlinkSpeedMBps = 164 };
int field(const metrics::Nvml& nvml, Device device, FieldId id, unsigned scope = 0) {
  if (nvml.field_values == nullptr) return -1;
  metrics::nvml::FieldValue one{};
  one.field = id;
  one.scope = scope;
  if (nvml.field_values(device, 1, &one) != kSuccess || one.result != kSuccess) return -1;
  const bool narrow = one.type == metrics::nvml::kUnsignedInt;
  if (!narrow && one.type != metrics::nvml::kUnsignedLong && one.type != metrics::nvml::kUnsignedLongLong)
    return -1;
  const unsigned long long value = narrow ? one.as_unsigned : one.as_unsigned_long_long;
  return value > kMaxPlausible ? -1 : static_cast<int>(value);
}

/// Returns the other end of an NVLink: the PCI address of a GPU, or "switch"; "" if the driver does not
/// report it. An address of which all bits are 1, as a guest sees it, also means "switch": GPUs are never
/// hidden from each other, and NCCL reads it the same way (its src/graph/xml.cc).
std::string end_of(const metrics::Nvml& nvml, Device device, unsigned link) {
  int kind = -1;
  if (nvml.nvlink_remote_kind != nullptr && nvml.nvlink_remote_kind(device, link, &kind) == kSuccess &&
      kind == metrics::nvml::kRemoteSwitch)
    return "switch";
  metrics::nvml::PciInfo pci{};
  if (nvml.nvlink_remote_pci == nullptr || nvml.nvlink_remote_pci(device, link, &pci) != kSuccess) return "";
  const bool hidden = (pci.bus & 0xffU) == 0xffU && (pci.domain & 0xffffU) == 0xffffU;
  return hidden ? "switch" : sysfs_address(pci);
}

/// Sets number, speed and ends of the GPU's NVLinks; leaves them unknown if NVML does not report them. Only
/// links that are up are counted, because a card may have unconnected ones.
void describe_nvlinks(const metrics::Nvml& nvml, Device device, GpuFacts& gpu) {
  const int links = field(nvml, device, kNvlinkCount);
  if (links < 0 || nvml.nvlink_state == nullptr) return;
  gpu.nvlinks = 0;
  if (links > 0) gpu.nvlink_mbps = field(nvml, device, kNvlinkSpeedMBps);
  for (unsigned link = 0; link < static_cast<unsigned>(std::min(links, kMaxLinks)); ++link) {
    int is_active = 0;
    if (nvml.nvlink_state(device, link, &is_active) != kSuccess || is_active != 1) continue;
    ++gpu.nvlinks;
    ++gpu.nvlink_ends[end_of(nvml, device, link)];
    if (gpu.nvlink_mbps <= 0) gpu.nvlink_mbps = field(nvml, device, kOneNvlinkSpeedMBps, link);
  }
}

GpuFacts describe(const metrics::Nvml& nvml, Device device) {
  GpuFacts gpu;
  metrics::nvml::PciInfo pci{};
  metrics::nvml::Memory memory{};
  char name[96] = "";
  unsigned processes = 0;
  if (nvml.pci_info != nullptr && nvml.pci_info(device, &pci) == kSuccess) gpu.pci = sysfs_address(pci);
  if (nvml.gpu_name != nullptr && nvml.gpu_name(device, name, sizeof name) == kSuccess) gpu.name = name;
  if (nvml.memory != nullptr && nvml.memory(device, &memory) == kSuccess) {
    gpu.memory_bytes = static_cast<std::int64_t>(memory.total);
    gpu.memory_used_bytes = static_cast<std::int64_t>(memory.used);
  }
  gpu.link_width = number(nvml.link_width, device);
  gpu.link_width_max = number(nvml.link_width_max, device);
  gpu.link_generation = number(nvml.link_generation, device);
  gpu.link_generation_max = number(nvml.link_generation_max, device);
  gpu.persistence = number(nvml.persistence, device);
  describe_nvlinks(nvml, device, gpu);
  if (nvml.compute_processes != nullptr) {
    const auto result = nvml.compute_processes(device, &processes, nullptr);
    if (result == kSuccess || result == kInsufficientSize) gpu.processes = static_cast<int>(processes);
  }
  return gpu;
}

}  // namespace

Nvml read_nvml(const std::string& library) {
  Nvml found;
  try {
    const metrics::Nvml nvml(library);
    char version[96] = "";
    if (nvml.driver_version != nullptr && nvml.driver_version(version, sizeof version) == kSuccess)
      found.driver = version;
    for (unsigned i = 0; i < nvml.gpus() && i < kMaxGpus; ++i)
      found.gpus.push_back(describe(nvml, nvml.gpu(i)));
  } catch (const Error& error) {
    found.missing = error.what();
  }
  return found;
}

}  // namespace collbench::facts
