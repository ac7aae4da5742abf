#pragma once
// Frames from one writer to one reader in memory that both map. No locks; nothing is waited for.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "softmlx5/nic/frame.h"

namespace collbench::softmlx5 {

/// Payload in the ring: it may wrap, so it has two parts.
using Parts = std::array<std::span<std::byte>, 2>;

/// Copies between a payload and other memory, from byte `offset` of the payload.
void copy_in(const Parts& parts, std::size_t offset, const std::byte* from, std::size_t bytes) noexcept;
void copy_out(const Parts& parts, std::size_t offset, std::byte* to, std::size_t bytes) noexcept;

class Ring {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;  // of frames
  static constexpr std::size_t kMostPayload = 64 * 1024;       // of one frame: a message of many overlaps
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    alignas(64) std::array<std::byte, kBytes> bytes;
  };

  Ring() = default;
  explicit Ring(Shared* shared) noexcept : shared_(shared) {}

  /// Room for a frame with this payload now?
  [[nodiscard]] bool has_room(std::size_t payload) noexcept {
    const std::size_t need = sizeof(FrameHeader) + padded(payload);
    if (kBytes - (mine_ - theirs_) >= need) return true;
    theirs_ = shared_->read.load(std::memory_order_acquire);
    return mine_ - theirs_ <= kBytes && kBytes - (mine_ - theirs_) >= need;
  }
  /// Where the payload of the next frame goes; there is room.
  [[nodiscard]] Parts payload(std::size_t bytes) noexcept {
    return parts(mine_ + sizeof(FrameHeader), bytes);
  }
  /// Shows the frame to the reader.
  void put(const FrameHeader& header) noexcept {
    std::memcpy(at(mine_), &header, sizeof header);
    mine_ += sizeof header + padded(header.bytes);
    shared_->written.store(mine_, std::memory_order_seq_cst);  // before a look whether the reader sleeps
  }

  /// The oldest frame; false when there is none. A header that cannot be is as none, and `broken` is true.
  [[nodiscard]] bool front(FrameHeader* header) noexcept {
    if (mine_ == theirs_) theirs_ = shared_->written.load(std::memory_order_acquire);
    if (mine_ == theirs_ || broken_) return false;
    std::memcpy(header, at(mine_), sizeof *header);
    broken_ = header->bytes > kMostPayload || theirs_ - mine_ > kBytes ||
              theirs_ - mine_ < sizeof *header + padded(header->bytes);
    return !broken_;
  }
  [[nodiscard]] bool broken() const noexcept { return broken_; }
  [[nodiscard]] bool is_empty() noexcept {
    return mine_ == theirs_ && mine_ == shared_->written.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] Parts payload_of(const FrameHeader& header) noexcept {
    return parts(mine_ + sizeof header, header.bytes);
  }
  void pop(const FrameHeader& header) noexcept {
    mine_ += sizeof header + padded(header.bytes);
    shared_->read.store(mine_, std::memory_order_release);
  }

 private:
  static constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 63) / 64 * 64; }
  [[nodiscard]] std::byte* at(std::uint64_t position) const noexcept {
    return shared_->bytes.data() + position % kBytes;
  }
  [[nodiscard]] Parts parts(std::uint64_t position, std::size_t bytes) const noexcept {
    const std::size_t start = position % kBytes;
    const std::size_t first = bytes < kBytes - start ? bytes : kBytes - start;
    return {std::span(shared_->bytes.data() + start, first), std::span(shared_->bytes.data(), bytes - first)};
  }

  Shared* shared_ = nullptr;
  std::uint64_t mine_ = 0, theirs_ = 0;  // own position; the other side's as last seen
  bool broken_ = false;
};

}  // namespace collbench::softmlx5
