#include "engines/cuda/ports.h"

#include <cstring>

#include "core/error.h"
#include "engines/cuda/mapping.h"
#include "transports/ibgda/lane.h"
#include "transports/transport.h"

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

class DeviceQueue final : public PutQueue {
 public:
  DeviceQueue(const cuda::DriverApi& driver, std::unique_ptr<PutQueue> queue)
      : queue_(std::move(queue)),
        rings_(driver, queue_->memory().rings, queue_->memory().ring_bytes, false),
        bell_(driver, queue_->memory().bell_page, queue_->memory().bell_bytes, queue_->memory().is_io) {}

  Address address() override { return queue_->address(); }
  void connect(const Address& peer) override { queue_->connect(peer); }
  std::uint32_t write(const PutTarget& to, const void* from, const MemoryRegion& region, std::size_t bytes,
                      bool completes) override {
    return queue_->write(to, from, region, bytes, completes);
  }
  std::uint32_t write_word(const PutTarget& to, std::uint64_t word, bool completes) override {
    return queue_->write_word(to, word, completes);
  }
  void ring(std::uint32_t ticket) override { queue_->ring(ticket); }
  void poll() override { queue_->poll(); }
  [[nodiscard]] bool has_completed(std::uint32_t ticket) const noexcept override {
    return queue_->has_completed(ticket);
  }
  [[nodiscard]] PutCounters counters() const noexcept override { return queue_->counters(); }
  [[nodiscard]] ibgda::QueueCursor lane() const override {
    ibgda::QueueCursor lane = queue_->lane();
    lane.view.ring = rings_.device_address(lane.view.ring);
    lane.view.record = rings_.device_address(lane.view.record);
    lane.view.entries = rings_.device_address(lane.view.entries);
    lane.view.bell = bell_.device_address(lane.view.bell);
    return lane;
  }
  void adopt(const PutCounters& done) override { queue_->adopt(done); }
  [[nodiscard]] QueueMemory memory() const override { return queue_->memory(); }

 private:
  std::unique_ptr<PutQueue> queue_;
  DeviceMapping rings_, bell_;  // Destroyed first.
};

class DevicePutPort final : public PutPort {
 public:
  DevicePutPort(cuda::Device& device, PutPort& port) : device_(device), port_(port) {}

  std::unique_ptr<PutQueue> open_queue() override {
    return std::make_unique<DeviceQueue>(device_.driver(), port_.open_queue());
  }
  std::unique_ptr<MemoryRegion> expose(void* data, std::size_t bytes) override {
    return port_.expose(data, bytes);
  }
  [[nodiscard]] PutTarget target_of(const MemoryRegion& region, const void* at) const override {
    return port_.target_of(region, at);
  }
  [[nodiscard]] std::uint32_t local_key(const MemoryRegion& region) const override {
    return port_.local_key(region);
  }
  void progress() override { port_.progress(); }
  void count_sent(std::size_t bytes) override { port_.count_sent(bytes); }
  void count_received(std::size_t bytes) override { port_.count_received(bytes); }

 private:
  cuda::Device& device_;
  PutPort& port_;
};

}  // namespace

std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared) {
  return std::make_unique<Port>(device, is_shared);
}

std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port) {
  return std::make_unique<DevicePutPort>(device, port);
}

}  // namespace collbench::gpu
