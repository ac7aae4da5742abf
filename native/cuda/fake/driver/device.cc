#include "cuda/fake/driver/device.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "cuda/fake/fake_cuda.h"

namespace collbench::cuda_fake {
namespace {

std::mutex init_mutex;
std::atomic<const std::vector<FakeDevice*>*> all_devices{
    nullptr};  // never freed, because streams outlive main()
thread_local FakeDevice* current_device = nullptr;

long number_from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtol(text, nullptr, 10) : otherwise;
}

/// Returns the devices in the order of CUDA_VISIBLE_DEVICES, or all CUDA_FAKE_DEVICES devices (default: 4) if
/// it is not set. Like the driver, it stops at the first entry that is not the number of a device.
std::vector<FakeDevice*> visible_devices() {
  const long count = number_from_environment("CUDA_FAKE_DEVICES", 4);
  std::vector<FakeDevice*> visible;
  const auto add = [&visible](long physical) {
    auto* device = new FakeDevice;
    device->ordinal = static_cast<int>(visible.size());
    device->physical = static_cast<int>(physical);
    visible.push_back(device);
  };
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr)
    for (long i = 0; i < count; ++i) add(i);
  while (list != nullptr && *list != '\0') {
    char* end = nullptr;
    const long device = std::strtol(list, &end, 10);
    if (end == list || device < 0 || device >= count) break;
    add(device);
    list = *end == ',' ? end + 1 : end;
  }
  return visible;
}

}  // namespace

const std::vector<FakeDevice*>& devices() {
  static const std::vector<FakeDevice*> none;
  const auto* all = all_devices.load();
  return all != nullptr ? *all : none;
}

FakeDevice* device_at(int ordinal) {
  const auto at = static_cast<std::size_t>(ordinal);
  return at < devices().size() ? devices()[at] : nullptr;
}

int require_any_context(FakeDevice*& device) {
  device = current_device;
  return device == nullptr || device->retained == 0 ? kInvalidContext : kSuccess;
}

int require_context(FakeDevice*& device) {
  const int result = require_any_context(device);
  return result != kSuccess ? result : device->error.load();
}

}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

FAKE_EXPORT int cuInit(unsigned /*flags*/) {
  const std::lock_guard lock(init_mutex);
  if (devices().empty()) all_devices = new std::vector<FakeDevice*>(visible_devices());
  return devices().empty() ? kNoDevice : kSuccess;
}

FAKE_EXPORT int cuDriverGetVersion(int* version) {
  *version = static_cast<int>(number_from_environment("CUDA_FAKE_DRIVER", 13000));
  return kSuccess;
}

FAKE_EXPORT int cuGetErrorName(int result, const char** text) {
  switch (result) {
#define FAKE_RESULT(name, number, its_text) \
  case number:                              \
    *text = "CUDA_" #its_text;              \
    return kSuccess;
    FAKE_CUDA_RESULTS(FAKE_RESULT)
#undef FAKE_RESULT
    default:
      return kInvalidValue;
  }
}

FAKE_EXPORT int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(devices().size());
  return devices().empty() ? kNotInitialized : kSuccess;
}

FAKE_EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return device_at(ordinal) == nullptr ? kInvalidDevice : kSuccess;
}

FAKE_EXPORT int cuDeviceGetName(char* name, int bytes, int /*ordinal*/) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "collbench fake GPU (host memory)");
  return kSuccess;
}

/// Reports compute capability 9.0, 132 multiprocessors, and MPS if CUDA_FAKE_MPS is 1; all other attributes
/// are 0.
FAKE_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int /*ordinal*/) {
  constexpr int kMultiprocessorCount = 16, kCapabilityMajor = 75, kMpsEnabled = 133;
  switch (attribute) {
    case kMultiprocessorCount:
      *value = 132;
      break;
    case kCapabilityMajor:
      *value = 9;
      break;
    case kMpsEnabled:
      *value = static_cast<int>(number_from_environment("CUDA_FAKE_MPS", 0));
      break;
    default:
      *value = 0;
  }
  return kSuccess;
}

FAKE_EXPORT int cuDeviceGetPCIBusId(char* text, int bytes, int ordinal) {
  const FakeDevice* device = device_at(ordinal);
  if (device == nullptr) return kInvalidDevice;
  const auto bus = static_cast<unsigned>(device->physical + 1);
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", bus);
  return kSuccess;
}

FAKE_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int /*ordinal*/) {
  *bytes = kDeviceBytes;
  return kSuccess;
}

FAKE_EXPORT int cuDevicePrimaryCtxRetain(void** context, int ordinal) {
  FakeDevice* device = device_at(ordinal);
  if (device == nullptr) return kInvalidDevice;
  ++device->retained;
  *context = device;
  return kSuccess;
}

FAKE_EXPORT int cuDevicePrimaryCtxRelease_v2(int ordinal) {
  FakeDevice* device = device_at(ordinal);
  if (device == nullptr || device->retained == 0) return kInvalidContext;
  if (--device->retained == 0) device->error = kSuccess;
  return kSuccess;
}

FAKE_EXPORT int cuCtxSetCurrent(void* context) {
  for (FakeDevice* device : devices())
    if (device == context) {
      current_device = device;
      return kSuccess;
    }
  return kInvalidContext;
}

FAKE_EXPORT int cuCtxGetDevice(int* ordinal) {
  int physical = 0;
  return cudaFakeCurrentDevice(ordinal, &physical);
}

FAKE_EXPORT int cudaFakeCurrentDevice(int* ordinal, int* physical) {
  FakeDevice* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  *ordinal = device->ordinal;
  *physical = device->physical;
  return kSuccess;
}
