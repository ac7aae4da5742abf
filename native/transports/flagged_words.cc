#include "transports/flagged_words.h"

#include <cstring>

namespace collbench {
namespace {

constexpr std::size_t kDataBytes = sizeof(std::uint32_t);
/// A cell that was written is zeroed after this many further uses of the connection, long before flag values
/// repeat.
constexpr std::uint64_t kFreshUses = std::uint64_t{1} << 15;

/// Returns the flag for message number `use`: its lower 32 bits, but never 0, because unused memory contains
/// 0.
std::uint32_t make_flag(std::uint64_t use) noexcept {
  const auto low = static_cast<std::uint32_t>(use);
  return low == 0 ? 1 : low;
}

void store(std::uint64_t& word, std::uint32_t data, std::uint32_t flag) noexcept {
  __atomic_store_n(&word, std::uint64_t{flag} << 32 | data, __ATOMIC_RELAXED);
}

bool load(const std::uint64_t& word, std::uint32_t flag, std::uint32_t* data) noexcept {
  const std::uint64_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  *data = static_cast<std::uint32_t>(seen);
  return seen >> 32 == flag;
}

}  // namespace

void FlaggedWriter::clear_old_flags(FlaggedCells& cells, std::uint64_t use) noexcept {
  for (std::uint64_t& word : cells[use % kFlaggedCells].words) store(word, 0, 0);
  clear_from_use_[use % kFlaggedCells] = kNever;
}

void FlaggedWriter::write(FlaggedCells& cells, std::uint64_t use, const void* data, std::size_t bytes,
                          int tag) noexcept {
  skip(cells, use);
  std::uint64_t& due = clear_from_use_[use % kFlaggedCells];
  if (due == kNever) due = use + kFreshUses;
  const std::uint32_t flag = make_flag(use);
  std::uint64_t* word = cells[use % kFlaggedCells].words;
  store(*word++, static_cast<std::uint32_t>(tag) << 16 | static_cast<std::uint32_t>(bytes), flag);
  const auto* from = static_cast<const std::byte*>(data);
  std::uint32_t four = 0;
  for (; bytes >= kDataBytes; bytes -= kDataBytes, from += kDataBytes) {
    std::memcpy(&four, from, kDataBytes);
    store(*word++, four, flag);
  }
  if (bytes == 0) return;
  four = 0;
  std::memcpy(&four, from, bytes);
  store(*word, four, flag);
}

std::optional<FlaggedHead> read_flagged_head(const FlaggedCells& cells, std::uint64_t use) noexcept {
  std::uint32_t head = 0;
  if (!load(cells[use % kFlaggedCells].words[0], make_flag(use), &head)) return std::nullopt;
  return FlaggedHead{head & 0xFFFFU, static_cast<int>(head >> 16)};
}

bool has_more_flagged(const FlaggedCells& cells, std::uint64_t use, std::size_t done) noexcept {
  const auto head = read_flagged_head(cells, use);
  if (!head) return false;
  std::uint32_t four = 0;
  return head->bytes == 0 ||
         load(cells[use % kFlaggedCells].words[1 + done / kDataBytes], make_flag(use), &four);
}

std::size_t read_flagged(const FlaggedCells& cells, std::uint64_t use, std::byte* to, std::size_t done,
                         std::size_t bytes) noexcept {
  const std::uint32_t flag = make_flag(use);
  const std::uint64_t* word = cells[use % kFlaggedCells].words + 1 + done / kDataBytes;
  std::uint32_t four = 0;
  for (; done + kDataBytes <= bytes; done += kDataBytes) {
    if (!load(*word++, flag, &four)) return done;
    std::memcpy(to + done, &four, kDataBytes);
  }
  if (done == bytes || !load(*word, flag, &four)) return done;
  std::memcpy(to + done, &four, bytes - done);
  return bytes;
}

}  // namespace collbench
