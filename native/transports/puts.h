#pragma once
// One-sided writes whose queues the caller writes and rings itself: what control paths differ in is which
// thread, or which device, calls which of these. Only transports over an adapter with such queues have them
// (Transport::put_port).
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench {

struct MemoryRegion;
namespace ibgda {
struct Lane;
}

/// Memory of a peer as its queues name it; plain data.
struct PutTarget {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

/// Counted exactly, by whoever writes and rings.
struct PutCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// What a device must reach to use a queue by itself.
struct QueueMemory {
  void* rings = nullptr;  // entries, completions, doorbell records
  std::size_t ring_bytes = 0;
  void* bell_page = nullptr;  // of the doorbell register
  std::size_t bell_bytes = 0;
  bool is_io = false;  // registers of a card, no memory
};

/// Connected to one queue of a peer. Used by one thread at a time; puts complete in order.
class PutQueue {
 public:
  /// Of one end, for the other.
  using Address = std::array<std::byte, 64>;
  static constexpr std::uint32_t kMostPuts = 128;  // under way at the same time

  virtual ~PutQueue() = default;
  [[nodiscard]] virtual Address address() = 0;
  /// A queue of kind dc may be connected again and again: what is written afterwards goes to that peer.
  virtual void connect(const Address& peer) = 0;
  /// Writes an entry, which the adapter does not know yet. There is room where no more than kMostPuts are
  /// under way.
  /// @param bytes 1 to 1 GiB @returns its ticket, for ring() and has_completed()
  virtual std::uint32_t write(const PutTarget& to, const void* from, const MemoryRegion& region,
                              std::size_t bytes, bool completes) = 0;
  /// Writes an entry that has its 8 bytes in itself. Otherwise as write().
  virtual std::uint32_t write_word(const PutTarget& to, std::uint64_t word, bool completes) = 0;
  /// One doorbell for all entries up to that ticket.
  virtual void ring(std::uint32_t ticket) = 0;
  /// Takes completions. @throws Error(kConnectionLost) with what the adapter says
  virtual void poll() = 0;
  /// Of entries that complete. @returns whether the put is in the peer's memory, as far as poll() has seen
  [[nodiscard]] virtual bool has_completed(std::uint32_t ticket) const noexcept = 0;
  [[nodiscard]] virtual PutCounters counters() const noexcept = 0;
  /// Where the queue stands, for a device that goes on from there, in addresses of that device. Until adopt()
  /// nobody else uses the queue.
  [[nodiscard]] virtual ibgda::Lane lane() const = 0;
  /// What the device has done: puts written, doorbells rung and completions taken, up to the last of each.
  virtual void adopt(const PutCounters& done) = 0;
  [[nodiscard]] virtual QueueMemory memory() const = 0;
};

class PutPort {
 public:
  virtual ~PutPort() = default;
  virtual std::unique_ptr<PutQueue> open_queue() = 0;
  /// Lets peers and own queues reach memory, as long as the region lives.
  virtual std::unique_ptr<MemoryRegion> expose(void* data, std::size_t bytes) = 0;
  [[nodiscard]] virtual PutTarget target_of(const MemoryRegion& region, const void* at) const = 0;
  /// How own queues name the region.
  [[nodiscard]] virtual std::uint32_t local_key(const MemoryRegion& region) const = 0;
  /// The target's adapter may need its processor (softmlx5 alone).
  virtual void progress() = 0;
  /// For counters(), of what devices do by themselves: puts that left, and those that the target has seen.
  virtual void count_sent(std::size_t bytes) = 0;
  virtual void count_received(std::size_t bytes) = 0;
};

}  // namespace collbench
