#pragma once
// One-sided writes through queues whose entries and doorbells the caller writes itself. Control paths differ
// in which thread or device makes which of these calls. Only transports whose adapter has such queues offer
// them (Transport::put_port).
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench {

struct MemoryRegion;
namespace ibgda {
struct QueueCursor;
}

/// Address of a peer's memory as work queue entries name it; plain data.
struct PutTarget {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

/// Exact counts, kept by the thread or device that writes the entries and rings the doorbells.
struct PutCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// Host memory and registers that a device must be able to access to drive a queue by itself.
struct QueueMemory {
  void* rings = nullptr;  // entries, completions, doorbell records
  std::size_t ring_bytes = 0;
  void* bell_page = nullptr;  // page of the doorbell register
  std::size_t bell_bytes = 0;
  bool is_io = false;  // true: registers of a card, false: ordinary memory
};

/// A queue that writes to one peer. One thread at a time may use it; puts complete in order.
class PutQueue {
 public:
  /// Address of one end, exchanged out of band.
  using Address = std::array<std::byte, 64>;
  static constexpr std::uint32_t kMaxPuts = 128;  // Highest number of puts in flight.

  virtual ~PutQueue() = default;
  [[nodiscard]] virtual Address address() = 0;
  /// Connects to the peer. A queue of kind dc may connect again: later entries then go to the new peer.
  virtual void connect(const Address& peer) = 0;
  /// Writes an entry; the adapter sees it only after ring(). The caller keeps at most kMaxPuts in flight.
  /// @param bytes 1 to 1 GiB
  /// @param completes whether the adapter reports the completion
  /// @returns the entry's ticket, for ring() and has_completed()
  virtual std::uint32_t write(const PutTarget& to, const void* from, const MemoryRegion& region,
                              std::size_t bytes, bool completes) = 0;
  /// Writes an entry that contains its 8 bytes of data; else like write().
  virtual std::uint32_t write_word(const PutTarget& to, std::uint64_t word, bool completes) = 0;
  /// Rings one doorbell for all entries up to and including this ticket.
  virtual void ring(std::uint32_t ticket) = 0;
  /// Reads new completions. @throws Error(kConnectionLost) with the error that the adapter reports
  virtual void poll() = 0;
  /// True if the put is in the peer's memory, as of the last poll(). Valid for entries written with
  /// `completes`.
  [[nodiscard]] virtual bool has_completed(std::uint32_t ticket) const noexcept = 0;
  [[nodiscard]] virtual PutCounters counters() const noexcept = 0;
  /// Position of the queue for a device that continues from it, in addresses of that device. The device owns
  /// the queue until adopt().
  [[nodiscard]] virtual ibgda::QueueCursor lane() const = 0;
  /// Takes the queue back from a device. @param done puts, doorbells and completions that the device has made
  virtual void adopt(const PutCounters& done) = 0;
  [[nodiscard]] virtual QueueMemory memory() const = 0;
};

class PutPort {
 public:
  virtual ~PutPort() = default;
  virtual std::unique_ptr<PutQueue> open_queue() = 0;
  /// Registers memory so that peers and own queues can access it, for as long as the region lives.
  virtual std::unique_ptr<MemoryRegion> expose(void* data, std::size_t bytes) = 0;
  [[nodiscard]] virtual PutTarget target_of(const MemoryRegion& region, const void* at) const = 0;
  /// Key of the region in entries of this process's own queues.
  [[nodiscard]] virtual std::uint32_t local_key(const MemoryRegion& region) const = 0;
  /// Lets softmlx5 work in the calling thread. A real adapter needs no such help.
  virtual void progress() = 0;
  /// Adds one put made by a device to counters(): as sender, and as receiver below.
  virtual void count_sent(std::size_t bytes) = 0;
  virtual void count_received(std::size_t bytes) = 0;
};

}  // namespace collbench
