#include "engines/cuda/mapping.h"

#include "core/error.h"

namespace collbench::gpu {
namespace {

constexpr unsigned kPortable = 1, kDeviceMap = 2, kIoMemory = 4;
constexpr int kAlreadyRegistered = 712;

}  // namespace

DeviceMapping::DeviceMapping(const cuda::DriverApi& driver, void* memory, std::size_t bytes, bool is_io)
    : driver_(driver), memory_(memory) {
  const int result = driver_.register_host(memory, bytes, kPortable | kDeviceMap | (is_io ? kIoMemory : 0U));
  is_mine_ = result == 0;
  // Queues may share a page of doorbells.
  if (result != 0 && result != kAlreadyRegistered) {
    if (is_io)
      throw Error(ErrorCode::kUnavailable,
                  "the driver does not let the GPU reach the adapter's doorbells (cuMemHostRegister with "
                  "IOMEMORY: " +
                      std::to_string(result) +
                      "); set NVreg_RegistryDwords=\"PeerMappingOverride=1;\" for the nvidia module, or take "
                      "--path host,proxy");
    driver_.check(result, "cuMemHostRegister");
  }
  driver_.check(driver_.host_device_pointer(&device_, memory, 0), "cuMemHostGetDevicePointer");
}

DeviceMapping::~DeviceMapping() {
  if (is_mine_) driver_.unregister_host(memory_);
}

}  // namespace collbench::gpu
