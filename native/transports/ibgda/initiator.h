#pragma once
// A CPU thread as initiator: it writes entries, rings, and polls completions, as a GPU kernel does.
#include <cstddef>
#include <vector>

#include "transports/ibgda/lane.h"
#include "transports/ibgda/queue.h"

namespace collbench::ibgda {

/// Counted exactly: what an adapter sees may be fewer doorbells, for it may look late.
struct InitiatorCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// Used by one thread at a time.
class Initiator {
 public:
  /// Longest message of one entry; the adapter's own limit is 2 GiB.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30;

  explicit Initiator(std::unique_ptr<Queue> queue);

  /// Of the queue. @throws as Queue::connect
  void connect(const QueueAddress& peer);

  /// Room for an entry of so many blocks, or polls for it.
  [[nodiscard]] bool has_room(std::uint32_t blocks);
  /// Entries below are not known to the adapter until ring(). Each has room. @returns the block behind it:
  /// done when completed() reaches it
  std::uint32_t write(std::uint64_t to, std::uint32_t to_key, const void* from, std::uint32_t from_key,
                      std::size_t bytes, bool completes);
  /// @param bytes at most most_inline()
  std::uint32_t write_inline(std::uint64_t to, std::uint32_t to_key, const void* from, std::size_t bytes,
                             bool completes);
  [[nodiscard]] std::uint32_t blocks_of_inline(std::size_t bytes) const noexcept;
  /// Longest data that may stand in an entry: four blocks without what is in front of it.
  [[nodiscard]] std::size_t most_inline() const noexcept { return 4 * mlx5::kBlockBytes - inline_begin(); }
  void ring() noexcept { ring_to(next_); }
  /// One doorbell for the entries before block `end`, which entries of one block stand in front of.
  void ring_to(std::uint32_t end) noexcept;

  /// Takes what has completed, and lets a software adapter work. @throws Error(kConnectionLost) with the
  /// syndrome in words
  void poll();
  /// True when all entries before block `end` have completed; only those that ask for it say so.
  [[nodiscard]] bool has_completed(std::uint32_t end) const noexcept {
    return static_cast<std::int32_t>(completed_ - end) >= 0;
  }
  /// For a device that goes on from here with entries of one block.
  [[nodiscard]] Lane lane() const noexcept { return {view_, next_, taken_}; }
  /// What it did up to the last entry, doorbell and completion.
  void adopt(const InitiatorCounters& done) noexcept;
  [[nodiscard]] bool is_idle() const noexcept { return completed_ == next_; }
  [[nodiscard]] const InitiatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] Queue& queue() noexcept { return *queue_; }
  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }

 private:
  Segment* segment(std::uint32_t index) const noexcept;
  /// Segments behind the control segment that say where data goes. @returns the next one's index
  std::uint32_t aim(std::uint64_t to, std::uint32_t to_key) const noexcept;
  /// Bytes in front of data in an entry: control, address and count.
  [[nodiscard]] std::size_t inline_begin() const noexcept {
    return (2 + std::size_t{view_.vector_segments}) * mlx5::kSegmentBytes + sizeof(u32);
  }
  std::uint32_t finish(std::uint32_t opcode, std::uint32_t segments, bool completes) noexcept;

  std::unique_ptr<Queue> queue_;
  QueueView view_;
  std::uint32_t mask_;                 // of blocks
  std::uint32_t next_ = 0;             // block, never wrapping at the ring's end
  std::uint32_t rung_ = 0;             // likewise, as the adapter knows it
  std::uint32_t completed_ = 0;        // likewise
  std::uint32_t taken_ = 0;            // completions
  std::vector<std::uint32_t> ends_;    // of the entry that begins at a block
  std::vector<std::uint32_t> begins_;  // of the entry that ends before a block
  InitiatorCounters counters_;
};

/// "remote access error (0x13)"
std::string syndrome_text(std::uint8_t syndrome);

}  // namespace collbench::ibgda
