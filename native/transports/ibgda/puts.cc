#include "transports/ibgda/puts.h"

#include <cstring>

namespace collbench::ibgda {
namespace {

class AdapterPutQueue final : public PutQueue {
 public:
  AdapterPutQueue(const std::shared_ptr<const IbgdaDevice>& device,
                  std::shared_ptr<CounterTable> counter_table)
      : initiator_(std::make_unique<Queue>(device)),
        counter_table_(std::move(counter_table)),
        counters_(counter_table_->open(true)) {}

  Address address() override {
    const QueueAddress mine = initiator_.queue().address();
    Address address{};
    static_assert(sizeof mine <= sizeof address);
    std::memcpy(address.data(), &mine, sizeof mine);
    return address;
  }
  void connect(const Address& peer) override {
    QueueAddress theirs;
    std::memcpy(&theirs, peer.data(), sizeof theirs);
    initiator_.connect(theirs);
  }
  std::uint32_t write(const PutTarget& to, const void* from, const MemoryRegion& region, std::size_t bytes,
                      bool completes) override {
    counters_.add(bytes);
    return initiator_.write(to.address, to.key, from, static_cast<const Registration&>(region).local_key(),
                            bytes, completes);
  }
  std::uint32_t write_word(const PutTarget& to, std::uint64_t word, bool completes) override {
    counters_.add(sizeof word);
    return initiator_.write_inline(to.address, to.key, &word, sizeof word, completes);
  }
  void ring(std::uint32_t ticket) override { initiator_.ring_to(ticket); }
  void poll() override { initiator_.poll(); }
  [[nodiscard]] bool has_completed(std::uint32_t ticket) const noexcept override {
    return initiator_.has_completed(ticket);
  }
  [[nodiscard]] PutCounters counters() const noexcept override {
    const InitiatorCounters& counters = initiator_.counters();
    return {counters.entries, counters.doorbells, counters.completions};
  }
  [[nodiscard]] QueueCursor lane() const override { return initiator_.lane(); }
  void adopt(const PutCounters& done) override {
    initiator_.adopt({done.entries, done.doorbells, done.completions});
  }
  [[nodiscard]] QueueMemory memory() const override {
    const Queue& queue = initiator_.queue();
    const auto [rings, bytes] = queue.rings();
    return {rings, bytes, queue.bell_page(), mlx5::kUarBytes,
            queue.device().library().medium == Medium::kHardware};
  }

 private:
  QueueInitiator initiator_;
  std::shared_ptr<CounterTable> counter_table_;
  CommCounters& counters_;
};

class AdapterPutPort final : public PutPort {
 public:
  AdapterPutPort(std::shared_ptr<const IbgdaDevice> device, std::shared_ptr<CounterTable> counter_table)
      : device_(std::move(device)),
        counter_table_(std::move(counter_table)),
        received_(counter_table_->open(false)) {}

  std::unique_ptr<PutQueue> open_queue() override {
    return std::make_unique<AdapterPutQueue>(device_, counter_table_);
  }
  std::unique_ptr<MemoryRegion> expose(void* data, std::size_t bytes) override {
    return device_->register_memory(data, bytes);
  }
  [[nodiscard]] PutTarget target_of(const MemoryRegion& region, const void* at) const override {
    return {reinterpret_cast<std::uintptr_t>(at), static_cast<const Registration&>(region).remote_key()};
  }
  [[nodiscard]] std::uint32_t local_key(const MemoryRegion& region) const override {
    return static_cast<const Registration&>(region).local_key();
  }
  void progress() override {
    if (device_->library().progress != nullptr) device_->library().progress();
  }
  void count_sent(std::size_t bytes) override {
    if (sent_ == nullptr) sent_ = &counter_table_->open(true);
    sent_->add(bytes);
  }
  void count_received(std::size_t bytes) override { received_.add(bytes); }

 private:
  std::shared_ptr<const IbgdaDevice> device_;
  std::shared_ptr<CounterTable> counter_table_;
  CommCounters& received_;
  CommCounters* sent_ = nullptr;
};

}  // namespace

std::unique_ptr<PutPort> make_put_port(std::shared_ptr<const IbgdaDevice> device,
                                       std::shared_ptr<CounterTable> counter_table) {
  return std::make_unique<AdapterPutPort>(std::move(device), std::move(counter_table));
}

}  // namespace collbench::ibgda
