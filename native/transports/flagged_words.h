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

/// Longest message with flags. Flags double the bytes, so longer messages are faster with an announcement
/// (transports/shm/README.md).
inline constexpr std::size_t kMaxFlaggedBytes = 2048;

/// One message with flags; all zeros before the first use. Words: length and tag, then the message.
struct alignas(64) FlaggedCell {
  std::uint64_t words[1 + kMaxFlaggedBytes / 4];
};

/// Number of cells of one connection. A message uses the cell or the slot that its number selects.
inline constexpr std::size_t kFlaggedCells = 32;
using FlaggedCells = FlaggedCell[kFlaggedCells];

/// True if a message of this length and tag can carry flags.
[[nodiscard]] constexpr bool may_carry_flags(std::size_t bytes, int tag) noexcept {
  return bytes <= kMaxFlaggedBytes && tag >= 0 && tag <= 0xFFFF;
}

/// The sender's side. Uses count from 1, one for each message; each is either written to a cell or skipped.
class FlaggedWriter {
 public:
  FlaggedWriter() noexcept { clear_from_use_.fill(kNever); }
  void write(FlaggedCells& cells, std::uint64_t use, const void* data, std::size_t bytes, int tag) noexcept;
  /// Records that the message of this use is sent through a slot instead of a cell.
  void skip(FlaggedCells& cells, std::uint64_t use) noexcept {
    if (use >= clear_from_use_[use % kFlaggedCells]) clear_old_flags(cells, use);
  }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  void clear_old_flags(FlaggedCells& cells, std::uint64_t use) noexcept;

  /// The use at which each cell's words are zeroed. A flag value returns after 2^32 uses, so old flags must
  /// be gone long before.
  std::array<std::uint64_t, kFlaggedCells> clear_from_use_;
};

struct FlaggedHead {
  std::size_t bytes;
  int tag;
};

/// Length and tag of the message of this use; nullopt if it has not arrived.
[[nodiscard]] std::optional<FlaggedHead> read_flagged_head(const FlaggedCells& cells,
                                                           std::uint64_t use) noexcept;

/// Copies the part of the message that has arrived, from byte `done` on (a multiple of 4 unless all is read).
/// @return number of bytes read so far; `bytes` when the message is complete
[[nodiscard]] std::size_t read_flagged(const FlaggedCells& cells, std::uint64_t use, std::byte* to,
                                       std::size_t done, std::size_t bytes) noexcept;

}  // namespace collbench
