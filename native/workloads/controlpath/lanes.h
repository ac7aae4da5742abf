#pragma once
// The queues of one initiator and what is put through them. Used by one thread at a time.
#include <cstdint>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "transports/ibgda/lane.h"
#include "transports/puts.h"

namespace collbench::controlpath {

/// What one operation puts: `puts` of `bytes` on each of `queues`, a doorbell for each `batch`.
struct Load {
  std::uint32_t queues = 1, puts = 1, batch = 1;
  std::size_t bytes = 8;
  [[nodiscard]] std::size_t total_bytes() const noexcept { return std::size_t{queues} * puts * bytes; }
  [[nodiscard]] std::uint32_t groups() const noexcept { return puts / batch; }
};

class Lanes {
 public:
  /// Exposes memory and connects queues; both ranks make theirs at the same time.
  /// @param source where the initiator's bytes lie; @param target where those of the peer arrive
  Lanes(Engine& engine, const Load& load, int peer, std::byte* source, std::byte* target);

  /// Entries of a group of puts on all queues; unknown to the adapter.
  void write(std::uint32_t group);
  /// Their doorbells, one a queue.
  void ring(std::uint32_t group);
  /// Waits until all that was written is in the peer's memory. @throws as PutQueue::poll,
  /// Engine::stop_if_cancelled
  void await_completion();
  [[nodiscard]] PutCounters counters() const noexcept;

  // For a device that writes and rings by itself.
  /// Where each queue stands. @param lanes as many as there are queues
  void describe(ibgda::Lane* lanes) const;
  /// What the device did on all queues together, each of them the same.
  void adopt(const PutCounters& done);
  [[nodiscard]] ibgda::Span source_span() const noexcept;
  [[nodiscard]] ibgda::Span target_span() const noexcept { return {peer_.address, peer_.key}; }
  [[nodiscard]] const Load& load() const noexcept { return load_; }
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
  const Load load_;
  std::byte *source_, *target_;
  std::unique_ptr<MemoryRegion> source_region_, target_region_;
  PutTarget peer_;  // of the first byte there
  std::vector<std::unique_ptr<PutQueue>> queues_;
  std::vector<std::uint32_t> tickets_;  // [queue][group] of its last entry
};

}  // namespace collbench::controlpath
