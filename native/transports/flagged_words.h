#pragma once
// Messages whose words carry their own flags, as NCCL's protocol LL has them (Hu et al., "Demystifying NCCL",
// 2025, section on protocols): 4 bytes of the message and 4 bytes that say of which message they are, stored
// together. Nothing announces the message and no store has to come before another: a receiver that finds the
// flag has the data, because an aligned store of 8 bytes is seen whole (x86: Intel SDM vol. 3, 9.1.1; Arm:
// single-copy atomicity, ARM DDI 0487 B2.2; a PCIe write of 8 aligned bytes is one). It costs twice the
// bytes, and saves the barrier between data and announcement; the receiver reads while the sender still
// writes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace collbench {

/// Twice as much is written: longer messages are faster with an announcement (transports/shm/README.md).
inline constexpr std::size_t kMostFlaggedBytes = 2048;

/// Of one message; zeros before the first. Words: how long and which tag, then the message.
struct alignas(64) FlaggedCell {
  std::uint64_t words[1 + kMostFlaggedBytes / 4];
};

/// Cells of one connection, used in turn with the slots of other messages.
inline constexpr std::size_t kFlaggedCells = 32;
using FlaggedCells = FlaggedCell[kFlaggedCells];

/// Whether a message can go so.
[[nodiscard]] constexpr bool may_carry_flags(std::size_t bytes, int tag) noexcept {
  return bytes <= kMostFlaggedBytes && tag >= 0 && tag <= 0xFFFF;
}

/// The sender's side. Uses are counted from 1 and go up by one, each either written here or passed by.
class FlaggedWriter {
 public:
  FlaggedWriter() noexcept { due_.fill(kNever); }
  void write(FlaggedCells& cells, std::uint64_t use, const void* data, std::size_t bytes, int tag) noexcept;
  /// The message of this use went another way.
  void pass(FlaggedCells& cells, std::uint64_t use) noexcept {
    if (use >= due_[use % kFlaggedCells]) clear(cells, use);
  }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  void clear(FlaggedCells& cells, std::uint64_t use) noexcept;

  /// Flags come again after 2^32 uses. Long before, words of earlier uses are zeroed: from this use on.
  std::array<std::uint64_t, kFlaggedCells> due_;
};

struct FlaggedHead {
  std::size_t bytes;
  int tag;
};

/// Nothing: no message of this use is here yet.
[[nodiscard]] std::optional<FlaggedHead> flagged_head(const FlaggedCells& cells, std::uint64_t use) noexcept;

/// Copies what is there from byte `done` on, a multiple of 4 unless all is read.
/// @return bytes that are read now; `bytes` when that is all
[[nodiscard]] std::size_t read_flagged(const FlaggedCells& cells, std::uint64_t use, std::byte* to,
                                       std::size_t done, std::size_t bytes) noexcept;

}  // namespace collbench
