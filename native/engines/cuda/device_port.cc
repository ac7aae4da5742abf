#include "engines/cuda/device_port.h"

#include <cstring>

#include "core/error.h"

namespace collbench::gpu {
namespace {

constexpr unsigned kAnySet = 2, kAnyClear = 3;  // CU_STREAM_WAIT_VALUE_AND and _NOR.

class Pinned final : public SharedMemory {
 public:
  Pinned(const cuda::DriverApi& driver, std::size_t bytes) : memory_(driver, bytes) {
    std::memset(memory_.data(), 0, bytes);
  }
  [[nodiscard]] void* data() const noexcept override { return memory_.data(); }
  [[nodiscard]] void* device_data() const noexcept override {
    return reinterpret_cast<void*>(memory_.device_address());
  }

 private:
  cuda::PinnedMemory memory_;
};

std::uint64_t address_of(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

class Port final : public DevicePort {
 public:
  Port(cuda::Device& device, bool is_shared) : device_(device), is_shared_(is_shared) {}

  std::unique_ptr<SharedMemory> share(std::size_t bytes) override {
    return std::make_unique<Pinned>(device_.driver(), bytes);
  }
  void store_word(void* at, std::uint32_t word) override {
    const cuda::DriverApi& driver = able();
    driver.check(driver.store_word(device_.stream(), address_of(at), word, 0), "cuStreamWriteValue32");
  }
  void store_long_word(void* at, std::uint64_t word) override {
    const cuda::DriverApi& driver = able();
    driver.check(driver.store_long_word(device_.stream(), address_of(at), word, 0), "cuStreamWriteValue64");
  }
  void await_bit(const void* at, std::uint32_t bit, bool is_set) override {
    const cuda::DriverApi& driver = able();
    // The wait for "set" needs any bit of `bit`. The wait for "clear" uses NOR with all other bits masked.
    driver.check(driver.await_word(device_.stream(), address_of(at), is_set ? bit : ~bit,
                                   is_set ? kAnySet : kAnyClear),
                 "cuStreamWaitValue32");
  }
  [[nodiscard]] bool is_shared() const noexcept override { return is_shared_; }

 private:
  [[nodiscard]] const cuda::DriverApi& able() const {
    const cuda::DriverApi& driver = device_.driver();
    if (driver.store_word == nullptr || driver.store_long_word == nullptr || driver.await_word == nullptr)
      throw Error(ErrorCode::kUnavailable,
                  "this CUDA driver has no memory operations of streams (cuStreamWriteValue32_v2); take one "
                  "of CUDA 11.7 or newer, or another --path than stream");
    return driver;
  }
  cuda::Device& device_;
  const bool is_shared_;
};

}  // namespace

std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared) {
  return std::make_unique<Port>(device, is_shared);
}

}  // namespace collbench::gpu
