#include "cuda/fake/driver/device.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "cuda/fake/fake_cuda.h"

namespace collbench::cuda_fake {
namespace {

struct Machine {
  std::mutex mutex;
  pid_t owner = 0;  // the process that called cuInit
  std::vector<Device*> devices;
};
Machine& machine() {
  static auto* the_machine = new Machine;
  return *the_machine;
}

thread_local Device* current_device = nullptr;

long number_from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtol(text, nullptr, 10) : otherwise;
}

/// Physical numbers in the order of CUDA_VISIBLE_DEVICES; as the driver, it stops at the first that is not
/// there.
std::vector<int> visible_devices() {
  const long count = number_from_environment("CUDA_FAKE_DEVICES", 4);
  std::vector<int> visible;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) {
    for (int i = 0; i < count; ++i) visible.push_back(i);
    return visible;
  }
  while (*list != '\0') {
    char* end = nullptr;
    const long device = std::strtol(list, &end, 10);
    if (end == list || device < 0 || device >= count) break;
    visible.push_back(static_cast<int>(device));
    list = *end == ',' ? end + 1 : end;
  }
  return visible;
}

bool initialized() {
  Machine& it = machine();
  const std::lock_guard lock(it.mutex);
  return it.owner == getpid();
}

Device* device_at(int ordinal) {
  const auto& all = devices();
  return ordinal >= 0 && static_cast<std::size_t>(ordinal) < all.size()
             ? all[static_cast<std::size_t>(ordinal)]
             : nullptr;
}

}  // namespace

const std::vector<Device*>& devices() {
  static const std::vector<Device*> none;
  return initialized() ? machine().devices : none;
}

std::size_t device_memory_bytes() {
  static const auto bytes = static_cast<std::size_t>(number_from_environment("CUDA_FAKE_MEMORY", 8L << 30));
  return bytes;
}

int require_any_context(Device*& device) {
  if (!initialized()) return kNotInitialized;
  if (current_device == nullptr) return kInvalidContext;
  if (current_device->retained == 0) return kContextIsDestroyed;
  device = current_device;
  return kSuccess;
}

int require_context(Device*& device) {
  const int result = require_any_context(device);
  return result != kSuccess ? result : device->error.load();
}

int live_contexts() {
  int live = 0;
  for (const Device* device : devices()) live += device->retained > 0 ? 1 : 0;
  return live;
}

}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

FAKE_EXPORT int cuInit(unsigned flags) {
  if (flags != 0) return kInvalidValue;
  Machine& it = machine();
  const std::lock_guard lock(it.mutex);
  if (it.owner == getpid()) return kSuccess;
  if (it.owner != 0) return kNotInitialized;
  const std::vector<int> visible = visible_devices();
  if (visible.empty()) return kNoDevice;
  for (const int physical : visible) {
    auto* device = new Device;
    device->ordinal = static_cast<int>(it.devices.size());
    device->physical = physical;
    it.devices.push_back(device);
  }
  it.owner = getpid();
  return kSuccess;
}

FAKE_EXPORT int cuDriverGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = static_cast<int>(number_from_environment("CUDA_FAKE_DRIVER", 13000));
  return kSuccess;
}

FAKE_EXPORT int cuDeviceGetCount(int* count) {
  if (count == nullptr) return kInvalidValue;
  if (!initialized()) return kNotInitialized;
  *count = static_cast<int>(devices().size());
  return kSuccess;
}

FAKE_EXPORT int cuDeviceGet(int* device, int ordinal) {
  if (device == nullptr) return kInvalidValue;
  if (!initialized()) return kNotInitialized;
  if (device_at(ordinal) == nullptr) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

FAKE_EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (context == nullptr) return kInvalidValue;
  if (!initialized()) return kNotInitialized;
  Device* it = device_at(device);
  if (it == nullptr) return kInvalidDevice;
  ++it->retained;
  *context = it;
  return kSuccess;
}

FAKE_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  if (!initialized()) return kNotInitialized;
  Device* it = device_at(device);
  if (it == nullptr) return kInvalidDevice;
  if (it->retained == 0) return kInvalidContext;
  if (--it->retained == 0) it->error = kSuccess;
  return kSuccess;
}

FAKE_EXPORT int cuCtxSetCurrent(void* context) {
  if (!initialized()) return kNotInitialized;
  Device* found = nullptr;
  for (Device* device : devices())
    if (device == context && device->retained > 0) found = device;
  if (context != nullptr && found == nullptr) return kInvalidContext;
  current_device = found;
  return kSuccess;
}

FAKE_EXPORT int cudaFakeCurrentDevice(int* ordinal, int* physical) {
  Device* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  *ordinal = device->ordinal;
  *physical = device->physical;
  return kSuccess;
}
