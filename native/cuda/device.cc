#include "cuda/device.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace collbench::cuda {
namespace {

constexpr unsigned kNonBlockingStream = 1;
constexpr unsigned kMappedPortable = 0x1 | 0x2;

}  // namespace

std::string this_machine() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

int choose_gpu(const DriverApi& driver, const GpuChoice& choice) {
  driver.check(driver.init(0), "cuInit");
  int count = 0;
  driver.check(driver.device_count(&count), "cuDeviceGetCount");
  const int offered = choice.gpus.empty() ? count : static_cast<int>(choice.gpus.size());
  if (choice.local_rank >= offered && !choice.share)
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(choice.local_ranks) + " ranks want a GPU each and " + std::to_string(offered) +
                    " are offered here; fewer --ranks, more --gpus, or --share-gpu");
  const int place = choice.local_rank % std::max(1, offered);
  const int gpu = choice.gpus.empty() ? place : choice.gpus[static_cast<std::size_t>(place)];
  if (gpu >= count)
    throw Error(ErrorCode::kInvalidArgument,
                "GPU " + std::to_string(gpu) + " is not here; there are 0 to " + std::to_string(count - 1));
  return gpu;
}

DeviceMemory::DeviceMemory(const DriverApi& driver, std::size_t bytes) : driver_(&driver), bytes_(bytes) {
  if (const int result = driver.allocate(&address_, bytes); result != 0) {
    std::size_t free = 0, total = 0;
    driver.memory_info(&free, &total);
    throw Error(ErrorCode::kUnavailable, "the GPU has no room for a buffer of " + std::to_string(bytes) +
                                             " bytes: " + std::to_string(free) + " of " +
                                             std::to_string(total) + " bytes are free; lower --max");
  }
  driver.check(driver.fill_bytes(address_, 0, bytes, nullptr), "cuMemsetD8Async");
  driver.check(driver.stream_synchronize(nullptr), "cuStreamSynchronize");
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) driver_->free(address_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PinnedMemory::PinnedMemory(const DriverApi& driver, std::size_t bytes) : driver_(driver) {
  driver.check(driver.allocate_host(&data_, bytes, kMappedPortable), "cuMemHostAlloc");
  driver.check(driver.host_device_pointer(&address_, data_, 0), "cuMemHostGetDevicePointer");
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) driver_.free_host(data_);
}

Device::Device(const DriverApi& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {
  driver.check(driver.init(0), "cuInit");
  driver.check(driver.device_get(&device_, ordinal), "cuDeviceGet");
  char text[256] = {};
  driver.check(driver.device_name(text, sizeof text, device_), "cuDeviceGetName");
  name_ = text;
  driver.check(driver.device_pci(text, sizeof text, device_), "cuDeviceGetPCIBusId");
  pci_ = text;
  int major = 0, minor = 0;
  driver.check(driver.device_attribute(&major, kCapabilityMajor, device_), "cuDeviceGetAttribute");
  driver.check(driver.device_attribute(&minor, kCapabilityMinor, device_), "cuDeviceGetAttribute");
  capability_ = 10 * major + minor;
  driver.check(driver.device_attribute(&multiprocessors_, kMultiprocessorCount, device_),
               "cuDeviceGetAttribute");
  // Older drivers do not know the attribute.
  int mps = 0;
  uses_mps_ = driver.device_attribute(&mps, kMpsEnabled, device_) == kCudaSuccess && mps != 0;
  // NCCL's own runtime uses the primary context, so ours must be the same one.
  driver.check(driver.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  driver.check(driver.context_use(context_), "cuCtxSetCurrent");
  driver.check(driver.stream_create(&stream_, kNonBlockingStream), "cuStreamCreate");
}

Device::~Device() {
  if (stream_ != nullptr) driver_.stream_destroy(stream_);
  if (context_ != nullptr && !keeps_context_) driver_.context_release(device_);
}

bool Device::idle() {
  const int result = driver_.stream_query(stream_);
  if (result == kCudaNotReady) return false;
  driver_.check(result, "the GPU's work");
  return true;
}

std::size_t Device::free_bytes() const {
  std::size_t free = 0, total = 0;
  driver_.check(driver_.memory_info(&free, &total), "cuMemGetInfo");
  return free;
}

void Device::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  driver_.check(driver_.copy_to_device(reinterpret_cast<std::uint64_t>(to), from, bytes, stream_),
                "cuMemcpyHtoDAsync");
  drain();
}

void Device::download(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  driver_.check(driver_.copy_to_host(to, reinterpret_cast<std::uint64_t>(from), bytes, stream_),
                "cuMemcpyDtoHAsync");
  drain();
}

void Device::drain() { driver_.check(driver_.stream_synchronize(stream_), "cuStreamSynchronize"); }

}  // namespace collbench::cuda
