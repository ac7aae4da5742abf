#include "transports/shm/recv_comm.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/error.h"
#include "core/process_memory.h"
#include "transports/argument_checks.h"

namespace collbench::shm {

ShmRecvComm::ShmRecvComm(std::unique_ptr<ShmConnection> end, std::shared_ptr<CommCounters> counters)
    : connection_(std::move(end)), channel_(connection_->channel()), counters_(std::move(counters)) {}

MemoryRegion* ShmRecvComm::register_memory(void*, std::size_t, MemoryKind kind) {
  require_host_memory("shm", kind);
  return nullptr;
}

Request* ShmRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  require_one_buffer("shm", buffers);
  ShmReceive& receive = receives_[posted_ % kMaxRequests];
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

/// Returns the slot that must be read next if the sender has written it; nullptr if it has not.
const ShmSlot* ShmRecvComm::next_slot() const noexcept {
  const ShmSlot& slot = channel_.slots[slots_read_ % kSlots];
  return slot.sequence.load(std::memory_order_acquire) == slots_read_ + 1 ? &slot : nullptr;
}

/// True if test() has something to do: all posted receives are complete, or for the oldest incomplete one the
/// next slot or new words of the next cell have arrived. Until more words of a cell arrive, the caller may
/// sleep: the sender wakes this end when the cell is complete.
bool ShmRecvComm::has_more() const noexcept {
  return current_ == posted_ || next_slot() != nullptr ||
         has_more_flagged(channel_.cells, slots_read_ + 1, receives_[current_ % kMaxRequests].received);
}

void ShmRecvComm::release_slot() {
  if (++slots_read_ % (kSlots / 4) != 0) return;
  channel_.slots_consumed.store(slots_read_, std::memory_order_release);
  connection_->wake(channel_.sender_sleeps);
}

/// Copies the next part, at most kChunkBytes, of a message from the sender's memory to the receive buffer.
/// The sender has offered the message's address.
/// @param slot slot that holds the address
/// @returns true when the whole message has been copied
/// @throws Error(kConnectionLost) if the sender's memory cannot be read or the sender has left
bool ShmRecvComm::take_offer(const ShmSlot& slot, ShmReceive& receive) {
  std::uint64_t address = 0;
  std::memcpy(&address, slot.payload, sizeof address);
  const std::size_t bytes = std::min(kChunkBytes, slot.total - receive.received);
  const bool copied = ipc::copy_from_process(connection_->peer(), address + receive.received,
                                             receive.data + receive.received, bytes);
  // A peer that disconnected may already have unmapped the memory, so the copied bytes cannot be trusted.
  if (!copied || connection_->has_peer_left()) connection_->throw_lost();
  receive.received += bytes;
  if (receive.received < slot.total) return false;
  channel_.offers_taken.store(++offers_taken_, std::memory_order_release);
  connection_->wake(channel_.sender_sleeps);
  return true;
}

void ShmRecvComm::require_fits(const ShmReceive& receive, std::size_t total, std::int32_t tag) const {
  if (total > receive.capacity || tag != receive.tag)
    refuse_message("shm: process " + std::to_string(connection_->peer()), total, tag, receive.capacity,
                   receive.tag);
}

/// Copies the data in `slot` to the receive buffer. If the slot only has the message's address in the memory
/// of the sender (an offer), copies the next part from there.
/// @returns true if the slot is no longer needed and may be freed
bool ShmRecvComm::read(const ShmSlot& slot, ShmReceive& receive) {
  require_fits(receive, slot.total, slot.tag);
  if (slot.kind == SlotKind::kOffer) return take_offer(slot, receive);
  const std::size_t bytes = std::min(kSlotBytes, slot.total - receive.received);
  if (bytes > 0) std::memcpy(receive.data + receive.received, slot.payload, bytes);
  receive.received += bytes;
  return true;
}

/// Copies those bytes of the next message that have newly arrived in its cell (a message with flags in its
/// words) to the receive buffer.
/// @returns true if new bytes of the message have arrived, or it is complete
bool ShmRecvComm::read_cell() {
  const std::uint64_t use = slots_read_ + 1;
  const auto head = read_flagged_head(channel_.cells, use);
  if (!head) return false;
  ShmReceive& receive = receives_[current_ % kMaxRequests];
  require_fits(receive, head->bytes, head->tag);
  const std::size_t before = receive.received;
  receive.received = read_flagged(channel_.cells, use, receive.data, before, head->bytes);
  if (receive.received == head->bytes) {
    release_slot();
    receive.is_done = true;
    ++current_;
    return true;
  }
  return receive.received != before;
}

/// Copies data that have arrived, in slots or cells, into posted receive buffers, about kChunkBytes a call.
/// @returns true if something had arrived
bool ShmRecvComm::progress() {
  bool moved = false;
  for (std::size_t budget = kChunkBytes; current_ != posted_ && budget > 0; moved = true) {
    if (expects_cell_ && read_cell()) continue;
    const ShmSlot* slot = next_slot();
    if (slot == nullptr) {
      if (expects_cell_ || !read_cell()) break;
      expects_cell_ = true;
      continue;
    }
    expects_cell_ = false;
    ShmReceive& receive = receives_[current_ % kMaxRequests];
    const std::size_t before = receive.received;
    const std::size_t total = slot->total;
    if (read(*slot, receive)) release_slot();
    budget -= std::min(budget, receive.received - before);
    if (receive.received < total) continue;
    receive.is_done = true;
    ++current_;
  }
  return moved;
}

bool ShmRecvComm::test(Request* request, std::size_t* received_bytes) {
  auto& receive = *static_cast<ShmReceive*>(request);
  if (!receive.is_done) {
    connection_->clear_wakeup();
    // Messages that the peer sent before it disconnected are still delivered.
    if (!progress() && connection_->is_check_due() && connection_->has_peer_left() && !progress())
      connection_->throw_lost();
    if (!receive.is_done) return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  counters_->add(receive.received);
  receive.in_use = false;
  return true;
}

void ShmRecvComm::add_to_poll(std::vector<pollfd>& set) const {
  connection_->add_to_poll(set, channel_.receiver_sleeps, [this] { return has_more(); });
}

}  // namespace collbench::shm
