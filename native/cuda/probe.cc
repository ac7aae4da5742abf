#include "cuda/probe.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace collbench::cuda {
namespace {

constexpr int kNoDevice = 100, kStubLibrary = 34, kDriverMismatch = 803;  // CUresult
constexpr const char* kCheckGpus =
    "Check nvidia-smi, CUDA_VISIBLE_DEVICES, and that the container or job was given GPUs.";

void probe_driver(GpuProbe& look) {
  std::ifstream kernel("/proc/driver/nvidia/version");
  const std::string text((std::istreambuf_iterator<char>(kernel)), std::istreambuf_iterator<char>());
  if (const auto release = driver_release_in(text); !release.empty()) look.facts["driver.release"] = release;
  std::string why;
  const DriverApi* driver = open_driver(&why);
  if (driver == nullptr) {
    look.missing.push_back(
        {why,
         "Run on a machine with an NVIDIA GPU and its driver; in a container, start it with "
         "the GPUs (docker run --gpus all)."});
    return;
  }
  if (driver->driver_version(&look.driver_version) == kCudaSuccess)
    look.facts["driver.version"] = cuda_version(look.driver_version);
  const int result = driver->init(0);
  if (result == kCudaSuccess) {
    look.driver = driver;
    return;
  }
  const char* name = nullptr;
  driver->error_name(result, &name);
  const std::string says = ": cuInit says " + std::string(name != nullptr ? name : "CUDA error") + " (" +
                           std::to_string(result) + ").";
  if (result == kNoDevice)
    look.missing.push_back({"The CUDA driver finds no GPU" + says, kCheckGpus});
  else if (result == kStubLibrary)
    look.missing.push_back({driver->path + " is the stub for linking, no driver" + says,
                            "Take the stubs folder out of LD_LIBRARY_PATH."});
  else if (result == kDriverMismatch)
    look.missing.push_back({"The driver's library and its kernel module are of different versions" + says,
                            "Reboot after the driver's update, or load its new kernel module."});
  else
    look.missing.push_back(
        {"The CUDA driver does not start" + says, "Check nvidia-smi and the kernel's log (dmesg)."});
}

/// Returns the number of the NUMA node of a PCI device as text; "-1" if the firmware does not report it, ""
/// if Linux does not know the device.
std::string numa_node_of(std::string pci) {
  for (char& c : pci)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  std::ifstream file("/sys/bus/pci/devices/" + pci + "/numa_node");
  std::string node;
  file >> node;
  return node;
}

void describe_gpu(int gpu, GpuProbe& look) {
  const auto fact = [&](const char* name, const std::string& value) {
    look.facts["gpu." + std::to_string(gpu) + "." + name] = value;
  };
  const DriverApi& driver = *look.driver;
  int device = 0, major = 0, minor = 0;
  if (driver.device_get(&device, gpu) != kCudaSuccess) return;
  char text[256] = "";
  if (driver.device_name(text, sizeof text, device) == kCudaSuccess) fact("name", text);
  if (driver.device_pci(text, sizeof text, device) == kCudaSuccess) {
    fact("pci", text);
    if (const std::string node = numa_node_of(text); !node.empty()) fact("numa", node);
  }
  std::size_t bytes = 0;
  if (driver.device_memory(&bytes, device) == kCudaSuccess) fact("memoryBytes", std::to_string(bytes));
  if (driver.device_attribute(&major, kCapabilityMajor, device) == kCudaSuccess &&
      driver.device_attribute(&minor, kCapabilityMinor, device) == kCudaSuccess)
    fact("capability", std::to_string(major) + "." + std::to_string(minor));
}

}  // namespace

GpuProbe probe_gpus(const std::vector<int>& wanted) {
  GpuProbe look;
  probe_driver(look);
  if (look.driver == nullptr) return look;
  if (look.driver->device_count(&look.gpus) != kCudaSuccess) look.gpus = 0;
  look.facts["gpu.count"] = std::to_string(look.gpus);
  for (int gpu = 0; gpu < look.gpus; ++gpu) describe_gpu(gpu, look);
  if (look.gpus == 0) look.missing.push_back({"The CUDA driver finds no GPU.", kCheckGpus});
  for (const int gpu : wanted)
    if (gpu >= look.gpus && look.gpus > 0)
      look.missing.push_back(
          {"GPU " + std::to_string(gpu) + " was asked for, and this machine has " +
               (look.gpus == 1 ? "only GPU 0." : "0 to " + std::to_string(look.gpus - 1) + "."),
           "Name GPUs that are there with --gpus."});
  return look;
}

std::string cuda_version(int driver_version) {
  return std::to_string(driver_version / 1000) + "." + std::to_string(driver_version % 1000 / 10);
}

std::string driver_release_in(std::string_view text) {
  // The text has a line like "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release
  // Build ...".
  constexpr std::string_view kDigits = "0123456789";
  text = text.substr(0, text.find('\n'));
  for (std::size_t begin = 0; (begin = text.find_first_not_of(" \t", begin)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t", begin), text.size());
    const auto word = text.substr(begin, end - begin);
    const auto dot = word.find('.');
    if (dot != std::string_view::npos && dot >= 3 &&
        word.find_first_not_of("0123456789.") == std::string_view::npos &&
        kDigits.find(word.front()) != std::string_view::npos)
      return std::string(word);
    begin = end;
  }
  return {};
}

}  // namespace collbench::cuda
