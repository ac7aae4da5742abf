#pragma once
// A CPU thread as initiator: it writes entries, rings doorbells and polls completions like a GPU kernel.
#include <cstddef>
#include <vector>

#include "transports/ibgda/lane.h"
#include "transports/ibgda/queue.h"

namespace collbench::ibgda {

/// Numbers of entries written, doorbells rung and completions read, counted by the CPU thread or GPU that
/// does these steps. The adapter may notice fewer doorbells, because a later one can overwrite one that the
/// adapter has not read.
struct InitiatorCounters {
  std::uint64_t entries = 0;
  std::uint64_t doorbells = 0;
  std::uint64_t completions = 0;
};

/// Writes work queue entries and reads completions of one queue. Only one thread at a time may use it. The
/// send ring consists of blocks of 64 bytes; an entry has one to four. Blocks are numbered from 0 without
/// wrapping at the end of the ring.
class QueueInitiator {
 public:
  /// Maximum number of data bytes of one entry. The adapter's own limit is 2 GiB.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

  explicit QueueInitiator(std::unique_ptr<Queue> queue);

  /// Connects the queue to the peer.
  /// @throws Error as Queue::connect
  void connect(const QueueAddress& peer);

  /// True if an entry of this many blocks fits into the send ring. If not, reads completions and checks once
  /// more.
  [[nodiscard]] bool has_room(std::uint32_t blocks);
  /// Writes an entry that copies local memory to the peer's. The adapter sees it only after ring(). The
  /// caller has checked has_room(1).
  /// @param to,to_key address and remote key of the peer's memory
  /// @param from,from_key local memory and its local key
  /// @param bytes 0 to kMaxBytes
  /// @param completes whether the adapter reports the completion
  /// @returns number of the block after the entry; pass it to has_completed()
  std::uint32_t write(std::uint64_t to, std::uint32_t to_key, const void* from, std::uint32_t from_key,
                      std::size_t bytes, bool completes);
  /// Like write(), but the data is copied into the entry, so that `from` needs no registration and may be
  /// reused at once. The caller has checked has_room(inline_blocks(bytes)).
  /// @param bytes at most max_inline_bytes()
  std::uint32_t write_inline(std::uint64_t to, std::uint32_t to_key, const void* from, std::size_t bytes,
                             bool completes);
  /// Returns how many 64-byte blocks of the send ring an entry with `bytes` bytes of inline data takes.
  [[nodiscard]] std::uint32_t inline_blocks(std::size_t bytes) const noexcept;
  /// Returns the largest number of data bytes that fit into an entry of four blocks, besides its other
  /// segments.
  [[nodiscard]] std::size_t max_inline_bytes() const noexcept {
    return 4 * mlx5::kBlockBytes - inline_data_offset();
  }
  void ring() noexcept { ring_to(next_); }
  /// Rings one doorbell for all entries before block `end`, which must be the block after an entry. Does
  /// nothing if the last doorbell was for the same block.
  void ring_to(std::uint32_t end) noexcept;

  /// Reads the completions that have arrived, and lets the emulated adapter carry out waiting work; does not
  /// wait.
  /// @throws Error(kConnectionLost) naming the error that a completion reports
  void poll();
  /// True if all entries before block `end` were complete at the last poll(). The last of these entries must
  /// have been written with `completes`.
  [[nodiscard]] bool has_completed(std::uint32_t end) const noexcept {
    return static_cast<std::int32_t>(completed_ - end) >= 0;
  }
  /// Hands the queue to a GPU, which may continue with entries of one block: its layout, the next block and
  /// the number of completions read.
  [[nodiscard]] QueueCursor lane() const noexcept { return {view_, next_, taken_}; }
  /// Takes the queue back from the GPU to which lane() gave it. If the GPU has read a completion, all entries
  /// count as complete.
  /// @param done numbers of the entries (of one block each), doorbells and completions of the GPU since
  /// lane()
  void adopt(const InitiatorCounters& done) noexcept;
  [[nodiscard]] bool is_idle() const noexcept { return completed_ == next_; }
  [[nodiscard]] const InitiatorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] Queue& queue() noexcept { return *queue_; }
  [[nodiscard]] const Queue& queue() const noexcept { return *queue_; }

 private:
  Segment* segment(std::uint32_t index) const noexcept;
  /// Writes the segments of the next entry that name the destination: address vector (DC only) and remote
  /// address.
  /// @returns index, within the entry, of the segment that follows
  std::uint32_t write_address_segments(std::uint64_t to, std::uint32_t to_key) const noexcept;
  /// Returns the offset of the data in an entry that contains it, in bytes: the space of control segment,
  /// destination and byte count.
  [[nodiscard]] std::size_t inline_data_offset() const noexcept {
    return (2 + std::size_t{view_.vector_segments}) * mlx5::kSegmentBytes + sizeof(u32);
  }
  std::uint32_t finish(std::uint32_t opcode, std::uint32_t segments, bool completes) noexcept;

  std::unique_ptr<Queue> queue_;
  QueueView view_;
  std::uint32_t mask_;  // number of blocks - 1
  /// Number of the next 64-byte block of the send ring to write; it does not wrap at the end of the ring.
  std::uint32_t next_ = 0;
  std::uint32_t rung_ = 0;             // First block that the adapter has not seen; counts like next_.
  std::uint32_t completed_ = 0;        // First block that has not completed; counts like next_.
  std::uint32_t taken_ = 0;            // completions read
  std::vector<std::uint32_t> ends_;    // Indexed by an entry's first block: the block after the entry.
  std::vector<std::uint32_t> begins_;  // Indexed by the block after an entry: the first block of the entry.
  InitiatorCounters counters_;
};

/// Returns name and number of the error in a completion: "remote access error (0x13)".
std::string syndrome_text(std::uint8_t syndrome);

}  // namespace collbench::ibgda
