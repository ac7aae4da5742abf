#include "engines/cuda/put_port.h"

#include "engines/cuda/mapping.h"
#include "transports/ibgda/lane.h"
#include "transports/transport.h"

namespace collbench::gpu {
namespace {

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

std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port) {
  return std::make_unique<DevicePutPort>(device, port);
}

}  // namespace collbench::gpu
