#pragma once
// Messages whose words carry their own flags, like NCCL's protocol LL (Hu et al., "Demystifying NCCL", 2025,
// section on protocols). Each word of 8 bytes holds 4 bytes of the message and 4 bytes that name the message.
// Such a message needs no announcement and no order of stores. A receiver that finds the flag has the data,
// because an aligned store of 8 bytes becomes visible as a whole (x86: Intel SDM vol. 3, 9.1.1; Arm:
// single-copy atomicity, ARM DDI 0487 B2.2; a PCIe write of 8 aligned bytes is one). The price is twice the
// bytes; the gain is the barrier between data and announcement. The receiver reads while the sender still
// writes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collbench {

/// Length of the longest message, in bytes, that may carry flags in its words. Flags double the bytes to
/// transfer. A longer message is faster without flags, announced by a separate sequence number after its data
/// (transports/shm/README.md).
inline constexpr std::size_t kMaxFlaggedBytes = 2048;

/// Shared memory for one message with flags; all zeros before the first use. words[0] holds the message's
/// length and tag, the others 4 bytes of data each; the upper half of every word is the flag.
struct alignas(64) FlaggedCell {
  std::uint64_t words[1 + kMaxFlaggedBytes / 4];
};

/// Number of cells (places for messages with flags) of one connection; equal to the number of slots for
/// messages without flags. Message number n goes into cell or slot n modulo this number.
inline constexpr std::size_t kFlaggedCells = 32;
using FlaggedCells = FlaggedCell[kFlaggedCells];

/// True if a message of this length and tag fits into a cell, so that it can be sent with flags in its words.
/// The tag must fit into 16 bits.
[[nodiscard]] constexpr bool may_carry_flags(std::size_t bytes, int tag) noexcept {
  return bytes <= kMaxFlaggedBytes && tag >= 0 && tag <= 0xFFFF;
}

/// Writes messages with flags into the cells of one connection. `use` is the number of a message, or of a
/// part of one, counted from 1. The sender passes every number once: to write() if the message goes into a
/// cell, to skip() if it goes into a slot.
class FlaggedWriter {
 public:
  FlaggedWriter() noexcept { clear_from_use_.fill(kNever); }
  void write(FlaggedCells& cells, std::uint64_t use, const void* data, std::size_t bytes, int tag) noexcept;
  /// Records that message number `use` goes into a slot (a place for messages without flags); the caller
  /// calls this instead of write(). Zeroes the cell of this number if it has held flags for 2^15 numbers, so
  /// that none is left when flag values repeat.
  void skip(FlaggedCells& cells, std::uint64_t use) noexcept {
    if (use >= clear_from_use_[use % kFlaggedCells]) clear_old_flags(cells, use);
  }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  void clear_old_flags(FlaggedCells& cells, std::uint64_t use) noexcept;

  /// First value of `use` at which a cell's words must be zeroed, indexed by cell; kNever if the cell holds
  /// no old flags. Flags are 32-bit numbers that repeat after 2^32 uses, so old ones must be erased before.
  std::array<std::uint64_t, kFlaggedCells> clear_from_use_;
};

/// Length in bytes and tag of a message with flags, as the first word of its cell contains them.
struct FlaggedHead {
  std::size_t bytes;
  int tag;
};

/// Returns length and tag of the message with flags number `use`; nullopt if its first word has not arrived.
[[nodiscard]] std::optional<FlaggedHead> read_flagged_head(const FlaggedCells& cells,
                                                           std::uint64_t use) noexcept;

/// True if more of message number `use` has arrived than read_flagged() has copied: further bytes, or the
/// head of a message without bytes.
/// @param done number of bytes already copied: 0 or the result of the last read_flagged()
[[nodiscard]] bool has_more_flagged(const FlaggedCells& cells, std::uint64_t use, std::size_t done) noexcept;

/// Copies to `to` the part of message number `use` that has arrived and was not copied before.
/// @param done number of bytes already copied: 0 or the result of the previous call
/// @param bytes length of the message (FlaggedHead::bytes)
/// @return number of bytes copied so far, including `done`; equals `bytes` when the message is complete
[[nodiscard]] std::size_t read_flagged(const FlaggedCells& cells, std::uint64_t use, std::byte* to,
                                       std::size_t done, std::size_t bytes) noexcept;

}  // namespace collbench
