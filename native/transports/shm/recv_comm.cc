#include "transports/shm/recv_comm.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/error.h"
#include "softcard/process_memory.h"

namespace collbench::shm {

ShmRecvComm::ShmRecvComm(std::unique_ptr<End> end, std::shared_ptr<Tally> tally)
    : end_(std::move(end)), channel_(end_->channel()), tally_(std::move(tally)) {}

MemoryRegion* ShmRecvComm::register_memory(void*, std::size_t, MemoryKind kind) {
  if (kind != MemoryKind::kHost)
    throw Error(ErrorCode::kInvalidArgument, "shm: moves host memory only, not GPU memory");
  return nullptr;
}

Request* ShmRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  if (buffers.size() != 1)
    throw Error(ErrorCode::kInvalidArgument, "shm: one buffer per receive, not " +
                                                 std::to_string(buffers.size()) + " (max_receives is 1)");
  Receive& receive = receives_[posted_ % kMaxRequests];
  if (receive.in_use) return nullptr;
  const ReceiveBuffer& buffer = buffers.front();
  receive.data = static_cast<std::byte*>(buffer.data);
  receive.capacity = buffer.bytes;
  receive.received = 0;
  receive.tag = buffer.tag;
  receive.in_use = true;
  receive.is_done = false;
  ++posted_;
  return &receive;
}

/// nullptr = not written yet.
const Slot* ShmRecvComm::next_slot() const noexcept {
  const Slot& slot = channel_.slots[slots_read_ % kSlots];
  return slot.sequence.load(std::memory_order_acquire) == slots_read_ + 1 ? &slot : nullptr;
}

/// Whether something is here that was not read.
bool ShmRecvComm::is_due() const noexcept {
  return next_slot() != nullptr || flagged_head(channel_.cells, slots_read_ + 1).has_value();
}

void ShmRecvComm::consumed() {
  if (++slots_read_ % (kSlots / 4) != 0) return;
  channel_.slots_consumed.store(slots_read_, std::memory_order_release);
  end_->wake(channel_.sender_sleeps);
}

/// A chunk of it. True when all is here.
bool ShmRecvComm::take_offer(const Slot& slot, Receive& receive) {
  std::uint64_t address = 0;
  std::memcpy(&address, slot.payload, sizeof address);
  const std::size_t bytes = std::min(kChunkBytes, slot.total - receive.received);
  const bool copied = softcard::copy_from_process(end_->peer(), address + receive.received,
                                                  receive.data + receive.received, bytes);
  // Who has gone had given the memory back, perhaps.
  if (!copied || end_->is_alone()) end_->lost();
  receive.received += bytes;
  if (receive.received < slot.total) return false;
  channel_.offers_taken.store(++offers_taken_, std::memory_order_release);
  end_->wake(channel_.sender_sleeps);
  return true;
}

void ShmRecvComm::require_fits(const Receive& receive, std::size_t total, std::int32_t tag) const {
  if (total > receive.capacity)
    throw Error(ErrorCode::kProtocol, "shm: process " + std::to_string(end_->peer()) + " sent " +
                                          std::to_string(total) + " bytes where " +
                                          std::to_string(receive.capacity) + " were expected");
  if (tag != receive.tag)
    throw Error(ErrorCode::kProtocol, "shm: process " + std::to_string(end_->peer()) + " sent tag " +
                                          std::to_string(tag) + " where tag " + std::to_string(receive.tag) +
                                          " was expected");
}

/// True when the slot is done with.
bool ShmRecvComm::read(const Slot& slot, Receive& receive) {
  require_fits(receive, slot.total, slot.tag);
  if (slot.kind == SlotKind::kOffer) return take_offer(slot, receive);
  const std::size_t bytes = std::min(kSlotBytes, slot.total - receive.received);
  if (bytes > 0) std::memcpy(receive.data + receive.received, slot.payload, bytes);
  receive.received += bytes;
  return true;
}

/// Whether the next message carries flags, and some of it came.
bool ShmRecvComm::read_cell() {
  const std::uint64_t use = slots_read_ + 1;
  const auto head = flagged_head(channel_.cells, use);
  if (!head) return false;
  Receive& receive = receives_[current_ % kMaxRequests];
  require_fits(receive, head->bytes, head->tag);
  const std::size_t before = receive.received;
  receive.received = read_flagged(channel_.cells, use, receive.data, before, head->bytes);
  if (receive.received == head->bytes) {
    consumed();
    receive.is_done = true;
    ++current_;
    return true;
  }
  return receive.received != before;
}

/// True when something came.
bool ShmRecvComm::progress() {
  bool moved = false;
  for (std::size_t budget = kChunkBytes; current_ != posted_ && budget > 0; moved = true) {
    if (expects_cell_ && read_cell()) continue;
    const Slot* slot = next_slot();
    if (slot == nullptr) {
      if (expects_cell_ || !read_cell()) break;
      expects_cell_ = true;
      continue;
    }
    expects_cell_ = false;
    Receive& receive = receives_[current_ % kMaxRequests];
    const std::size_t before = receive.received;
    const std::size_t total = slot->total;
    if (read(*slot, receive)) consumed();
    budget -= std::min(budget, receive.received - before);
    if (receive.received < total) continue;
    receive.is_done = true;
    ++current_;
  }
  return moved;
}

bool ShmRecvComm::test(Request* request, std::size_t* received_bytes) {
  auto& receive = *static_cast<Receive*>(request);
  if (!receive.is_done) {
    end_->awake();
    // What was sent before the other went away still counts.
    if (!progress() && end_->due() && end_->is_alone() && !progress()) end_->lost();
    if (!receive.is_done) return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  tally_->add(receive.received);
  receive.in_use = false;
  return true;
}

void ShmRecvComm::add_to_poll(std::vector<pollfd>& set) const {
  end_->add_to_poll(set, channel_.receiver_sleeps, [this] { return is_due(); });
}

}  // namespace collbench::shm
