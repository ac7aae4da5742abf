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

/// Address and remote key (rkey) of a peer's memory, as an RDMA work queue entry needs them. Plain data, so
/// that ranks can send it to each other.
struct PutTarget {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

/// Numbers of work queue entries written, doorbells rung and completions read. The thread or device that
/// performs these steps counts them.
struct PutCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// Host memory and registers of one queue that a GPU must be able to access if it drives the queue without
/// the CPU.
struct QueueMemory {
  void* rings = nullptr;  // entries, completions, doorbell records
  std::size_t ring_bytes = 0;
  void* bell_page = nullptr;  // page of the doorbell register
  std::size_t bell_bytes = 0;
  bool is_io = false;  // true: registers of a card, false: ordinary memory
};

/// A work queue with which this rank writes to one peer's memory. Only one thread at a time may use it. Puts
/// complete in the order in which they were written.
class PutQueue {
 public:
  /// Content that the peer needs to connect to this queue; the caller sends it to the peer by other means
  /// (e.g. TCP).
  using Address = std::array<std::byte, 64>;
  static constexpr std::uint32_t kMaxPuts = 128;  // Highest number of puts in flight.

  virtual ~PutQueue() = default;
  /// Returns the address of this end, which the caller sends to the peer.
  [[nodiscard]] virtual Address address() = 0;
  /// Connects to the queue that has this address. A dynamically connected (DC) queue may connect again:
  /// entries written later then go to the new peer. A reliable connection connects once.
  virtual void connect(const Address& peer) = 0;
  /// Writes a work queue entry that copies local memory to the peer's memory. The adapter sees it only after
  /// ring(). The caller keeps at most kMaxPuts entries incomplete.
  /// @param region registration that contains [from, from + bytes)
  /// @param bytes 1 to 1 GiB
  /// @param completes whether the adapter reports the completion
  /// @returns the entry's ticket, a running number for ring() and has_completed()
  virtual std::uint32_t write(const PutTarget& to, const void* from, const MemoryRegion& region,
                              std::size_t bytes, bool completes) = 0;
  /// Writes a work queue entry that puts `word` into the peer's memory; the data is inside the entry, so no
  /// registered source is needed. The adapter sees it only after ring().
  /// @param completes whether the adapter reports the completion
  /// @returns the entry's ticket
  virtual std::uint32_t write_word(const PutTarget& to, std::uint64_t word, bool completes) = 0;
  /// Rings one doorbell, so that the adapter carries out all entries up to and including the one with this
  /// ticket. Does nothing if the last ring() had the same ticket.
  virtual void ring(std::uint32_t ticket) = 0;
  /// Reads the completions that have arrived since the last call, without waiting.
  /// @throws Error(kConnectionLost) with the error that the adapter reports
  virtual void poll() = 0;
  /// True if the last poll() found the put complete, so that its data is in the peer's memory.
  /// @param ticket result of write() or write_word() with `completes` = true; other tickets give no valid
  /// answer
  [[nodiscard]] virtual bool has_completed(std::uint32_t ticket) const noexcept = 0;
  /// Returns the counts since the queue was opened, including those that adopt() added.
  [[nodiscard]] virtual PutCounters counters() const noexcept = 0;
  /// Hands the queue to a GPU kernel, or to the version of the kernel that runs on the CPU. Returns the
  /// addresses of the rings, valid for the GPU if the port was made for one, and the position of the next
  /// entry. Until adopt() only the kernel may use the queue.
  [[nodiscard]] virtual ibgda::QueueCursor lane() const = 0;
  /// Takes the queue back from the kernel to which lane() gave it.
  /// @param done numbers of puts, doorbells and completions of the kernel since lane()
  virtual void adopt(const PutCounters& done) = 0;
  [[nodiscard]] virtual QueueMemory memory() const = 0;
};

/// Factory of a transport for put queues and for the memory that puts read and write (Transport::put_port).
class PutPort {
 public:
  virtual ~PutPort() = default;
  virtual std::unique_ptr<PutQueue> open_queue() = 0;
  /// Registers [data, data + bytes) with the adapter, so that peers and queues of this process can access it.
  /// Destroying the region ends the registration.
  virtual std::unique_ptr<MemoryRegion> expose(void* data, std::size_t bytes) = 0;
  /// Returns the address and remote key with which peers write to `at`, which lies inside the region.
  [[nodiscard]] virtual PutTarget target_of(const MemoryRegion& region, const void* at) const = 0;
  /// Returns the local key (lkey) that names the region as source of a put by this process.
  [[nodiscard]] virtual std::uint32_t local_key(const MemoryRegion& region) const = 0;
  /// Lets the emulated adapter softmlx5 carry out waiting work in the calling thread; does nothing for a real
  /// adapter. Callers that wait must call it repeatedly.
  virtual void progress() = 0;
  /// Adds one sent put of this length to Transport::counters(). Call once per put that a GPU made, because
  /// the transport cannot see those.
  virtual void count_sent(std::size_t bytes) = 0;
  /// Adds one received put of this length to Transport::counters(). Call at the rank whose memory the put
  /// wrote.
  virtual void count_received(std::size_t bytes) = 0;
};

}  // namespace collbench
