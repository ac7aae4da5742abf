#include "engines/nccl/device.h"

#include <utility>

#include "core/error.h"

namespace collbench::nccl {
namespace {

constexpr int kNotReady = 600;
constexpr unsigned kNonBlockingStream = 1;
constexpr unsigned kMappedPortable = 0x1 | 0x2;
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;

}  // namespace

DeviceMemory::DeviceMemory(const CudaApi& cuda, std::size_t bytes) : cuda_(&cuda), bytes_(bytes) {
  if (const int result = cuda.allocate(&address_, bytes); result != 0) {
    std::size_t free = 0, total = 0;
    cuda.memory_info(&free, &total);
    throw Error(ErrorCode::kUnavailable, "the GPU has no room for a buffer of " + std::to_string(bytes) +
                                             " bytes: " + std::to_string(free) + " of " +
                                             std::to_string(total) + " bytes are free; lower --max");
  }
  cuda.check(cuda.fill_bytes(address_, 0, bytes, nullptr), "cuMemsetD8Async");
  cuda.check(cuda.stream_synchronize(nullptr), "cuStreamSynchronize");
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0) cuda_->free(address_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : cuda_(other.cuda_),
      address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(cuda_, other.cuda_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

PinnedMemory::PinnedMemory(const CudaApi& cuda, std::size_t bytes) : cuda_(cuda) {
  cuda.check(cuda.allocate_host(&data_, bytes, kMappedPortable), "cuMemHostAlloc");
  cuda.check(cuda.host_device_pointer(&address_, data_, 0), "cuMemHostGetDevicePointer");
}

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) cuda_.free_host(data_);
}

Device::Device(const CudaApi& cuda, int ordinal) : cuda_(cuda), ordinal_(ordinal) {
  cuda.check(cuda.init(0), "cuInit");
  cuda.check(cuda.device_get(&device_, ordinal), "cuDeviceGet");
  char text[256] = {};
  cuda.check(cuda.device_name(text, sizeof text, device_), "cuDeviceGetName");
  name_ = text;
  cuda.check(cuda.device_pci(text, sizeof text, device_), "cuDeviceGetPCIBusId");
  pci_ = text;
  int major = 0, minor = 0;
  cuda.check(cuda.device_attribute(&major, kCapabilityMajor, device_), "cuDeviceGetAttribute");
  cuda.check(cuda.device_attribute(&minor, kCapabilityMinor, device_), "cuDeviceGetAttribute");
  capability_ = 10 * major + minor;
  // NCCL's own runtime works in the primary context; ours must be the same.
  cuda.check(cuda.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  cuda.check(cuda.context_use(context_), "cuCtxSetCurrent");
  cuda.check(cuda.stream_create(&stream_, kNonBlockingStream), "cuStreamCreate");
}

Device::~Device() {
  if (stream_ != nullptr) cuda_.stream_destroy(stream_);
  if (context_ != nullptr) cuda_.context_release(device_);
}

bool Device::idle() {
  const int result = cuda_.stream_query(stream_);
  if (result == kNotReady) return false;
  cuda_.check(result, "the GPU's work");
  return true;
}

void Device::drain() { cuda_.check(cuda_.stream_synchronize(stream_), "cuStreamSynchronize"); }

}  // namespace collbench::nccl
