#include "transports/shm/send_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "transports/argument_checks.h"

namespace collbench::shm {

ShmSendComm::ShmSendComm(std::unique_ptr<ShmConnection> end, std::shared_ptr<CommCounters> counters)
    : connection_(std::move(end)), channel_(connection_->channel()), counters_(std::move(counters)) {}

MemoryRegion* ShmSendComm::register_memory(void*, std::size_t, MemoryKind kind) {
  require_host_memory("shm", kind);
  return nullptr;
}

bool ShmSendComm::has_slot() {
  if (slots_written_ - slots_consumed_ < kSlots) return true;
  slots_consumed_ = channel_.slots_consumed.load(std::memory_order_acquire);
  return slots_written_ - slots_consumed_ < kSlots;
}

void ShmSendComm::write_slot(SlotKind kind, const void* payload, std::size_t bytes, std::size_t total,
                             std::int32_t tag) {
  ShmSlot& slot = channel_.slots[slots_written_ % kSlots];
  if (bytes > 0) std::memcpy(slot.payload, payload, bytes);
  slot.total = total;
  slot.kind = kind;
  slot.tag = tag;
  cells_.skip(channel_.cells, slots_written_ + 1);
  slot.sequence.store(++slots_written_, std::memory_order_release);
}

void ShmSendComm::write_cell(const void* data, std::size_t bytes, std::int32_t tag) {
  cells_.write(channel_.cells, ++slots_written_, data, bytes, tag);
  counters_->add_flagged();
}

Request* ShmSendComm::isend(const void* data, std::size_t bytes, int tag, MemoryRegion* /*region*/) {
  if (writing_ == next_ && bytes <= kSlotBytes && has_slot()) {
    if (carries_flags_ && may_carry_flags(bytes, tag))
      write_cell(data, bytes, tag);
    else
      write_slot(SlotKind::kData, data, bytes, bytes, tag);
    connection_->wake(channel_.receiver_sleeps);
    counters_->add(bytes);
    return &immediate_;
  }
  ShmMessage& message = messages_[next_ % kMaxRequests];
  if (message.in_use) return nullptr;
  message.data = static_cast<const std::byte*>(data);
  message.bytes = bytes;
  message.written = 0;
  message.offer = 0;
  message.tag = tag;
  message.is_whole = false;
  message.in_use = true;
  ++next_;
  progress();
  return &message;
}

/// Writes the next part of the message into one free slot; or the whole message into a cell or, as an offer
/// of its address, into one slot. Sets is_whole when no part is left. The caller has checked that a slot is
/// free.
void ShmSendComm::advance(ShmMessage& message) {
  if (carries_flags_ && message.written == 0 && may_carry_flags(message.bytes, message.tag)) {
    write_cell(message.data, message.bytes, message.tag);
    message.is_whole = true;
    return;
  }
  if (connection_->copy_mode() == CopyMode::kSingleCopy && message.bytes >= kSingleCopyBytes) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(message.data));
    write_slot(SlotKind::kOffer, &address, sizeof address, message.bytes, message.tag);
    message.offer = ++offers_made_;
    message.is_whole = true;
    return;
  }
  const std::size_t bytes = std::min(kSlotBytes, message.bytes - message.written);
  write_slot(SlotKind::kData, message.data + message.written, bytes, message.bytes, message.tag);
  message.written += bytes;
  message.is_whole = message.written == message.bytes;
}

/// Writes waiting messages, in order, while slots are free, and wakes the receiver.
/// @returns true if something was written
bool ShmSendComm::progress() {
  bool wrote = false;
  while (writing_ != next_ && has_slot()) {
    ShmMessage& message = messages_[writing_ % kMaxRequests];
    advance(message);
    wrote = true;
    if (message.is_whole) ++writing_;
    // Waking the receiver here lets it copy out while the next slots are filled.
    if (slots_written_ % (kSlots / 4) == 0) connection_->wake(channel_.receiver_sleeps);
  }
  if (wrote) connection_->wake(channel_.receiver_sleeps);
  return wrote;
}

bool ShmSendComm::is_done(const ShmMessage& message) const noexcept {
  return message.is_whole && message.offer <= offers_taken_;
}

bool ShmSendComm::test(Request* request) {
  if (request == &immediate_) return true;
  connection_->clear_wakeup();
  auto& message = *static_cast<ShmMessage*>(request);
  bool moved = progress();
  if (!is_done(message)) {
    const std::uint64_t taken = channel_.offers_taken.load(std::memory_order_acquire);
    moved |= taken != offers_taken_;
    offers_taken_ = taken;
  }
  if (is_done(message)) {
    counters_->add(message.bytes);
    message.in_use = false;
    return true;
  }
  if (!moved && connection_->is_check_due() && connection_->has_peer_left()) connection_->throw_lost();
  return false;
}

void ShmSendComm::add_to_poll(std::vector<pollfd>& set) const {
  connection_->add_to_poll(set, channel_.sender_sleeps, [this] {
    // Freed slots are news only for a message that waits for one; has_slot() has read the number for it.
    return (writing_ != next_ &&
            channel_.slots_consumed.load(std::memory_order_acquire) != slots_consumed_) ||
           channel_.offers_taken.load(std::memory_order_acquire) != offers_taken_;
  });
}

}  // namespace collbench::shm
