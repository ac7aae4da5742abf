#include "emulated/softmlx5/nic/wqe.h"

#include <algorithm>

#include "emulated/softmlx5/nic/endian.h"

namespace collbench::softmlx5 {
namespace {

using namespace mlx5;

/// Iterates over the segments of one work queue entry, which may wrap around at the end of the ring.
class Segments {
 public:
  Segments(const SendRing& ring, std::uint32_t index, std::uint32_t count) noexcept {
    const std::size_t bytes = std::size_t{count} * kSegmentBytes;
    const std::size_t ring_bytes = std::size_t{kBlockBytes} << ring.log_blocks;
    const std::size_t start = std::size_t{index} * kBlockBytes % ring_bytes;
    const std::size_t first = std::min(bytes, ring_bytes - start);
    std::memcpy(copy_.data(), ring.blocks + start, first);
    std::memcpy(copy_.data() + first, ring.blocks, bytes - first);
    end_ = bytes;
  }
  /// Returns the next `bytes` of the entry and advances by whole segments; nullptr beyond the entry's end.
  const std::byte* take(std::size_t bytes) noexcept {
    const std::size_t whole = (bytes + kSegmentBytes - 1) / kSegmentBytes * kSegmentBytes;
    if (end_ - next_ < whole) return nullptr;
    const std::byte* at = copy_.data() + next_;
    next_ += whole;
    return at;
  }
  [[nodiscard]] std::size_t left() const noexcept { return end_ - next_; }

 private:
  std::array<std::byte, kMaxSegments * kSegmentBytes> copy_;
  std::size_t next_ = 0, end_ = 0;
};

bool read_vector(Segments& segments, Work* work) noexcept {
  const std::byte* vector = segments.take(kVectorBytes);
  if (vector == nullptr) return false;
  work->access_key = static_cast<std::uint32_t>(load64(vector + kVectorKey));
  const std::uint32_t target = load32(vector + kVectorTarget);
  work->target_queue = target & 0xFFFFFF;
  work->target_lid = load16(vector + kVectorLid);
  const bool extended = (target & kVectorExtended) != 0;
  return !extended || segments.take(kVectorExtendedBytes - kVectorBytes) != nullptr;
}

bool read_remote(Segments& segments, Work* work) noexcept {
  const std::byte* remote = segments.take(kSegmentBytes);
  if (remote == nullptr) return false;
  work->address = load64(remote + kRemoteAddress);
  work->key = load32(remote + kRemoteKey);
  return true;
}

bool read_data(Segments& segments, Work* work) noexcept {
  while (segments.left() > 0) {
    const std::byte* segment = segments.take(kSegmentBytes);
    const std::uint32_t count = load32(segment + kDataBytes);
    if ((count & kInline) == 0) {
      // A count of 0 means 2 GiB to old adapters; current clients mean no data by it.
      if (work->is_inline) return false;
      work->pieces[work->piece_count++] = {load64(segment + kDataAddress), count, load32(segment + kDataKey)};
      work->total += count;
      continue;
    }
    // Inline data follows the count directly: 12 bytes of it are in this segment.
    const std::uint32_t bytes = count & ~kInline;
    constexpr std::uint32_t kHere = kSegmentBytes - sizeof count;
    if (work->piece_count != 0 || work->total + bytes > work->inline_bytes.size()) return false;
    const std::byte* rest = bytes > kHere ? segments.take(bytes - kHere) : segment;
    if (rest == nullptr) return false;
    std::byte* to = work->inline_bytes.data() + work->total;
    std::memcpy(to, segment + sizeof count, std::min(bytes, kHere));
    if (bytes > kHere) std::memcpy(to + kHere, rest, bytes - kHere);
    work->is_inline = true;
    work->total += bytes;
  }
  return true;
}

bool read_atomic(Segments& segments, Work* work) noexcept {
  const std::byte* first = segments.take(kSegmentBytes);
  if (first == nullptr) return false;
  if (work->opmod == kMasked4Bytes) {
    work->operand_bytes = 4;
    for (std::size_t n = 0; n < 4; ++n) work->operands[n] = load32(first + 4 * n);
    return true;
  }
  work->operands[0] = load64(first);
  work->operands[1] = load64(first + 8);
  const bool is_masked_swap = work->opcode == kMaskedCompareSwap;
  if (!is_masked_swap) return true;
  const std::byte* masks = segments.take(kSegmentBytes);
  if (masks == nullptr) return false;
  work->operands[2] = load64(masks);
  work->operands[3] = load64(masks + 8);
  return true;
}

bool read_body(const SendRing& ring, Segments& segments, Work* work) noexcept {
  switch (work->opcode) {
    case kNop:
      return true;
    case kWait: {
      const std::byte* wait = segments.take(kSegmentBytes);
      if (wait == nullptr) return false;
      work->wait_index = load32(wait + kWaitIndex);
      work->wait_queue = load32(wait + kWaitQueue) & 0xFFFFFF;
      return true;
    }
    case kDump:
      return read_data(segments, work) && !work->is_inline;
    case kSend:
    case kSendImmediate:
      return (!ring.is_dc || read_vector(segments, work)) && read_data(segments, work);
    case kWrite:
    case kWriteImmediate:
      return (!ring.is_dc || read_vector(segments, work)) && read_remote(segments, work) &&
             read_data(segments, work);
    case kRead:
      return (!ring.is_dc || read_vector(segments, work)) && read_remote(segments, work) &&
             read_data(segments, work) && !work->is_inline;
    case kCompareSwap:
    case kFetchAdd:
    case kMaskedCompareSwap:
    case kMaskedFetchAdd: {
      const bool is_masked = work->opcode == kMaskedCompareSwap || work->opcode == kMaskedFetchAdd;
      if (is_masked != (work->opmod == kMasked4Bytes || work->opmod == kMasked8Bytes)) return false;
      return (!ring.is_dc || read_vector(segments, work)) && read_remote(segments, work) &&
             read_atomic(segments, work) && read_data(segments, work) && !work->is_inline &&
             work->total == work->operand_bytes;
    }
    default:
      return false;
  }
}

}  // namespace

std::uint32_t blocks_at(const SendRing& ring, std::uint32_t index) noexcept {
  const std::size_t mask = (std::size_t{1} << ring.log_blocks) - 1;
  const std::byte* control = ring.blocks + (index & mask) * kBlockBytes;
  const std::uint32_t segments = load32(control + kControlWord1) & 0x3F;
  const std::uint32_t blocks = (segments + kSegmentsPerBlock - 1) / kSegmentsPerBlock;
  return blocks > mask + 1 ? 0 : blocks;
}

std::uint8_t read_work(const SendRing& ring, std::uint32_t index, Work* work) noexcept {
  const std::uint32_t blocks = blocks_at(ring, index);
  work->index = static_cast<std::uint16_t>(index);
  work->blocks = std::max(blocks, 1U);
  work->wants_completion = true;  // an error always produces a completion
  if (blocks == 0) return kLocalQueueOperation;
  const std::size_t mask = (std::size_t{1} << ring.log_blocks) - 1;
  const std::uint32_t count = load32(ring.blocks + (index & mask) * kBlockBytes + kControlWord1) & 0x3F;
  Segments segments(ring, index, count);
  const std::byte* control = segments.take(kSegmentBytes);
  const std::uint32_t word0 = load32(control + kControlWord0), word1 = load32(control + kControlWord1);
  work->opcode = static_cast<std::uint8_t>(word0 & 0xFF);
  work->opmod = static_cast<std::uint8_t>(word0 >> 24);
  work->immediate = load32(control + kControlImmediate);
  const auto flags = static_cast<std::uint8_t>(control[kControlFlags]);
  work->piece_count = 0;
  work->is_inline = false;
  work->total = 0;
  work->operand_bytes = 8;
  // A wrong index shows that the entry was not written in this round: the doorbell came too early.
  const bool is_this_one = (word0 >> 8 & 0xFFFF) == (index & 0xFFFF) && word1 >> 8 == ring.queue;
  if (!is_this_one || !read_body(ring, segments, work)) return kLocalQueueOperation;
  work->wants_completion = (flags & kCompletionMask) == kCompletionAlways;
  return 0;
}

}  // namespace collbench::softmlx5
