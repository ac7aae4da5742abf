#include <cstring>
#include <optional>

#include "cuda/concurrent_load/kinds.h"
#include "cuda/concurrent_load/queue.h"

namespace collbench::cuda {
namespace {

constexpr std::size_t kBuffer = std::size_t{64} << 20;  // exceeds the caches of hosts and GPUs
constexpr std::size_t kSlice = std::size_t{4} << 20;
constexpr int kBothWays = 2;

class Copy final : public concurrent_load::LoadTask {
 public:
  Copy(int gpu, bool to_device) : gpu_(gpu), to_device_(to_device) {}

  void prepare() override {
    device_.emplace(require_driver(), gpu_);
    memory_.emplace(device_->driver(), kBuffer);
    pinned_.emplace(device_->driver(), kBuffer);
    std::memset(pinned_->data(), 1, kBuffer);
    queue_.emplace(*device_);
  }
  std::uint64_t slice() override {
    return static_cast<std::uint64_t>(queue_->add([this] { copy(); })) * kSlice;
  }
  void pause() override { queue_->drain(); }

 private:
  void copy() {
    const DriverApi& driver = device_->driver();
    auto* host = static_cast<std::byte*>(pinned_->data()) + at_;
    const std::uint64_t device = memory_->address() + at_;
    if (to_device_)
      driver.check(driver.copy_to_device(device, host, kSlice, device_->stream()), "cuMemcpyHtoDAsync");
    else
      driver.check(driver.copy_to_host(host, device, kSlice, device_->stream()), "cuMemcpyDtoHAsync");
    at_ = (at_ + kSlice) % kBuffer;
  }

  const int gpu_;
  const bool to_device_;
  std::size_t at_ = 0;
  std::optional<Device> device_;
  std::optional<DeviceMemory> memory_;
  std::optional<PinnedMemory> pinned_;
  std::optional<TwoDeep> queue_;
};

}  // namespace

std::vector<std::unique_ptr<concurrent_load::LoadTask>> copy_load(
    const concurrent_load::LoadContext& context) {
  const int gpu = current_gpu();
  const int ways = load_amount(context, "copy", 1, kBothWays);
  std::vector<std::unique_ptr<concurrent_load::LoadTask>> works;
  for (int way = 0; way < ways; ++way) works.push_back(std::make_unique<Copy>(gpu, way == 0));
  return works;
}

}  // namespace collbench::cuda
