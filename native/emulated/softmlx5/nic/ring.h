#pragma once
// Frames from one writer to one reader in memory that both map. Uses no locks and never waits.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "emulated/softmlx5/nic/frame.h"

namespace collbench::softmlx5 {

/// Payload of one message (frame) in a shared-memory ring. It may wrap around the ring's end, so it consists
/// of two parts, the second often empty.
using Parts = std::array<std::span<std::byte>, 2>;

/// Copies `bytes` from `from` into a payload, beginning at its byte `offset`.
void copy_in(const Parts& parts, std::size_t offset, const std::byte* from, std::size_t bytes) noexcept;
/// Copies `bytes` of a payload, beginning at its byte `offset`, to `to`.
void copy_out(const Parts& parts, std::size_t offset, std::byte* to, std::size_t bytes) noexcept;

/// One process's end of a shared-memory ring of messages (frames): one process only writes, the other reads.
class FrameRing {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;  // bytes for frames
  /// Maximum payload of one frame in bytes. Long messages take several frames, so that the reader copies one
  /// while the writer fills the next.
  static constexpr std::size_t kMaxPayload = 64 * 1024;
  struct SharedRings {
    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    alignas(64) std::array<std::byte, kBytes> bytes;
  };

  FrameRing() = default;
  explicit FrameRing(SharedRings* shared) noexcept : shared_(shared) {}

  /// True if there is room in the ring now for a frame with this many bytes of payload.
  [[nodiscard]] bool has_room(std::size_t payload) noexcept {
    const std::size_t need = sizeof(FrameHeader) + padded(payload);
    if (kBytes - (own_position_ - peer_position_) >= need) return true;
    peer_position_ = shared_->read.load(std::memory_order_acquire);
    return own_position_ - peer_position_ <= kBytes && kBytes - (own_position_ - peer_position_) >= need;
  }
  /// Returns the ring memory for the payload of the next frame; the caller has checked has_room() and fills
  /// it before put().
  [[nodiscard]] Parts payload(std::size_t bytes) noexcept {
    return parts(own_position_ + sizeof(FrameHeader), bytes);
  }
  /// Appends the frame, with the payload that was written before, so that the reader can see it.
  void put(const FrameHeader& header) noexcept {
    std::memcpy(at(own_position_), &header, sizeof header);
    own_position_ += sizeof header + padded(header.bytes);
    // Sequentially consistent: this store must precede the writer's check whether the reader sleeps.
    shared_->written.store(own_position_, std::memory_order_seq_cst);
  }

  /// Reads the header of the oldest frame without removing it. False if there is none, or if the header is
  /// invalid; then broken() is true.
  [[nodiscard]] bool front(FrameHeader* header) noexcept {
    if (own_position_ == peer_position_) peer_position_ = shared_->written.load(std::memory_order_acquire);
    if (own_position_ == peer_position_ || broken_) return false;
    std::memcpy(header, at(own_position_), sizeof *header);
    broken_ = header->bytes > kMaxPayload || peer_position_ - own_position_ > kBytes ||
              peer_position_ - own_position_ < sizeof *header + padded(header->bytes);
    return !broken_;
  }
  [[nodiscard]] bool broken() const noexcept { return broken_; }
  [[nodiscard]] bool is_empty() noexcept {
    return own_position_ == peer_position_ &&
           own_position_ == shared_->written.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] Parts payload_of(const FrameHeader& header) noexcept {
    return parts(own_position_ + sizeof header, header.bytes);
  }
  void pop(const FrameHeader& header) noexcept {
    own_position_ += sizeof header + padded(header.bytes);
    shared_->read.store(own_position_, std::memory_order_release);
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

  SharedRings* shared_ = nullptr;
  std::uint64_t own_position_ = 0,
                peer_position_ = 0;  // own position, and the other side's position as last read
  bool broken_ = false;
};

}  // namespace collbench::softmlx5
