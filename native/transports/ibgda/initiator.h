#pragma once
// A CPU thread as initiator: it writes entries, rings doorbells and polls completions like a GPU kernel.
#include <cstddef>
#include <vector>

#include "transports/ibgda/lane.h"
#include "transports/ibgda/queue.h"

namespace collbench::ibgda {

/// Exact counts. An adapter may see fewer doorbells, because a later one can overwrite one it has not read.
struct InitiatorCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// Writes work queue entries. One thread at a time may use it.
class Initiator {
 public:
  /// Longest message of one entry; the adapter's own limit is 2 GiB.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  explicit Initiator(std::unique_ptr<Queue> queue);

  /// Connects the queue. @throws as Queue::connect
  void connect(const QueueAddress& peer);

  /// True if an entry of `blocks` blocks fits; polls for completions if it does not.
  [[nodiscard]] bool has_room(std::uint32_t blocks);
  /// Writes an entry for which has_room() was true; the adapter sees it only after ring().
  /// @returns number of the block after the entry; pass it to has_completed()
  std::uint32_t write(std::uint64_t to, std::uint32_t to_key, const void* from, std::uint32_t from_key,
                      std::size_t bytes, bool completes);
  /// Writes an entry that contains its data. @param bytes at most max_inline_bytes()
  std::uint32_t write_inline(std::uint64_t to, std::uint32_t to_key, const void* from, std::size_t bytes,
                             bool completes);
  [[nodiscard]] std::uint32_t inline_blocks(std::size_t bytes) const noexcept;
  /// Longest data that fits into an entry: four blocks minus the segments before the data.
  [[nodiscard]] std::size_t max_inline_bytes() const noexcept {
    return 4 * mlx5::kBlockBytes - inline_data_offset();
  }
  void ring() noexcept { ring_to(next_); }
  /// Rings one doorbell for the entries before block `end`. The last of them must be one block long.
  void ring_to(std::uint32_t end) noexcept;

  /// Reads completions and lets a software adapter work. @throws Error(kConnectionLost) with the syndrome in
  /// words
  void poll();
  /// True if all entries before block `end` have completed. The last of them must have requested a
  /// completion.
  [[nodiscard]] bool has_completed(std::uint32_t end) const noexcept {
    return static_cast<std::int32_t>(completed_ - end) >= 0;
  }
  /// Position for a device that continues from here with entries of one block.
  [[nodiscard]] QueueCursor lane() const noexcept { return {view_, next_, taken_}; }
  /// Takes the queue back. @param done counts of the device: last entry, doorbell and completion
  void adopt(const InitiatorCounters& done) noexcept;
  [[nodiscard]] bool is_idle() const noexcept { return completed_ == next_; }
  [[nodiscard]] const InitiatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] Queue& queue() noexcept { return *queue_; }
  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }

 private:
  Segment* segment(std::uint32_t index) const noexcept;
  /// Writes the segments behind the control segment that name the remote address. @returns index of the next
  /// segment
  std::uint32_t write_address_segments(std::uint64_t to, std::uint32_t to_key) const noexcept;
  /// Bytes before the data in an inline entry: control, address, byte count.
  [[nodiscard]] std::size_t inline_data_offset() const noexcept {
    return (2 + std::size_t{view_.vector_segments}) * mlx5::kSegmentBytes + sizeof(u32);
  }
  std::uint32_t finish(std::uint32_t opcode, std::uint32_t segments, bool completes) noexcept;

  std::unique_ptr<Queue> queue_;
  QueueView view_;
  std::uint32_t mask_;  // number of blocks - 1
  /// Number of the next block to write; counts on and does not wrap at the end of the ring.
  std::uint32_t next_ = 0;
  std::uint32_t rung_ = 0;             // First block that the adapter has not seen; counts like next_.
  std::uint32_t completed_ = 0;        // First block that has not completed; counts like next_.
  std::uint32_t taken_ = 0;            // completions read
  std::vector<std::uint32_t> ends_;    // Indexed by an entry's first block: the block after the entry.
  std::vector<std::uint32_t> begins_;  // Indexed by the block after an entry: the first block of the entry.
  InitiatorCounters counters_;
};

/// Name and number of a completion error: "remote access error (0x13)".
std::string syndrome_text(std::uint8_t syndrome);

}  // namespace collbench::ibgda
