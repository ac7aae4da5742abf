#pragma once
// Queues of one initiator and the puts that go through them. Used by one thread at a time.
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/device_port.h"
#include "engines/engine.h"
#include "transports/ibgda/lane.h"
#include "transports/puts.h"

namespace collbench::controlpath {

/// Puts of one operation: `puts` puts of `bytes` on each of `queues` queues. One ring of a queue's doorbell
/// starts `batch` puts, which form a group.
struct PutLoad {
  std::uint32_t queues = 1, puts = 1, batch = 1;
  std::size_t bytes = 8;
  [[nodiscard]] std::size_t total_bytes() const noexcept { return std::size_t{queues} * puts * bytes; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return puts / batch; }
};

class PutQueues {
 public:
  /// Registers memory and connects the queues with those of `peer`. Both ranks must construct at the same
  /// time.
  /// @param source memory with the data of the puts
  /// @param target memory into which the peer's puts are written
  PutQueues(Engine& engine, const PutLoad& load, int peer, std::byte* source, std::byte* target);

  /// Writes the queue entries of group number `group` on each queue: `batch` puts (PutLoad), which one
  /// doorbell starts. The adapter does not start them before ring() is called.
  void write(std::uint32_t group);
  /// Rings the doorbell of each queue, so that the adapter starts the puts of group number `group`.
  void ring(std::uint32_t group);
  /// Waits until the data of all puts that were written are in the peer's memory.
  /// @throws as PutQueue::poll() and Engine::stop_if_cancelled()
  void await_completion();
  [[nodiscard]] PutCounters counters() const noexcept;

  // The following functions serve a device that writes and rings by itself.
  /// Writes the current state of each queue, for a kernel that writes and rings by itself. @param lanes array
  /// with one element per queue
  void describe(ibgda::QueueCursor* lanes) const;
  /// Updates the queues and the transport's counters after a kernel has used the queues. Each entry counts as
  /// a sent put.
  /// @param done entries, doorbells and completions of the kernel, summed over all queues; each queue had the
  /// same number
  void adopt(const PutCounters& done);
  [[nodiscard]] ibgda::KeyedAddress source_span() const noexcept;
  [[nodiscard]] ibgda::KeyedAddress target_span() const noexcept { return {peer_.address, peer_.key}; }
  [[nodiscard]] const PutLoad& load() const noexcept { return load_; }
  [[nodiscard]] std::byte* source(std::uint32_t queue, std::uint32_t put) const noexcept {
    return source_ + offset(queue, put);
  }
  [[nodiscard]] const std::byte* target(std::uint32_t queue, std::uint32_t put) const noexcept {
    return target_ + offset(queue, put);
  }

 private:
  [[nodiscard]] std::size_t offset(std::uint32_t queue, std::uint32_t put) const noexcept {
    return (std::size_t{queue} * load_.puts + put) * load_.bytes;
  }
  void connect(int peer);
  void exchange(int peer, std::size_t bytes);

  Engine& engine_;
  PutPort& port_;
  const PutLoad load_;
  std::byte *source_, *target_;
  std::unique_ptr<MemoryRegion> source_region_, target_region_;
  PutTarget peer_;  // Address of the first byte of the peer's target memory.
  std::vector<std::unique_ptr<PutQueue>> queues_;
  std::vector<std::uint32_t> tickets_;  // Ticket of the last entry, by [queue][group].
};

/// Queues a ring of the doorbell on the device's stream. It starts all entries before entry number `end`; the
/// last of these must be a put with a completion.
void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 end);
/// Queues on the device's stream a wait until completion number `taken` of the queue has arrived, whether it
/// reports success or not.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 taken);

}  // namespace collbench::controlpath
