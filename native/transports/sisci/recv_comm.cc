#include "transports/sisci/recv_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::sisci {
namespace {

/// Minimum size in bytes of a message part that copy threads copy. The receiving thread copies a shorter part
/// itself, because handing it over takes as long as the copy.
constexpr std::size_t kMinSharedCopyBytes = 64 * 1024;

void copy_slice(void* to, const std::array<std::uint64_t, 3>& what) noexcept {
  std::memcpy(to, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(what[0])), what[1]);
}

}  // namespace

SisciRecvComm::SisciRecvComm(std::shared_ptr<TransportState> state,
                             std::unique_ptr<LocalSegment> receiver_segment,
                             std::unique_ptr<RemoteSegment> sender_segment, DmaPath path)
    : state_(std::move(state)),
      receiver_segment_(std::move(receiver_segment)),
      sender_segment_(std::move(sender_segment)),
      receiver_memory_(reinterpret_cast<ReceiverMemory*>(receiver_segment_->data())),
      sender_memory_(reinterpret_cast<SenderMemory*>(sender_segment_->data())),
      path_(path),
      regions_(state_->adapter),
      counters_(state_->counters.open(false)) {
  state_->note_path(path);
}

SisciRecvComm::~SisciRecvComm() {
  for (const Fragment& fragment : fragments_) state_->worker_pool->finish(fragment.open);
  announce(*sender_segment_, sender_memory_->control.closed, 1);
}

MemoryRegion* SisciRecvComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  return regions_.add(data, bytes, kind, path_);
}

void SisciRecvComm::deregister_memory(MemoryRegion* region) { regions_.remove(region); }

Request* SisciRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  if (buffers.size() != 1)
    throw Error(ErrorCode::kInvalidArgument,
                "the sisci transport receives 1 buffer per irecv, got " + std::to_string(buffers.size()));
  SisciReceive& receive = receives_[posted_ % kMaxRequests];
  if (receive.in_use) return nullptr;
  receive.data = static_cast<std::byte*>(buffers[0].data);
  receive.bytes = buffers[0].bytes;
  receive.announced = 0;
  receive.received = 0;
  receive.total = 0;
  receive.in_use = true;
  receive.done = false;
  if (receive.bytes > kInlineBytes && path_ == DmaPath::kRegistered) post(posted_, buffers[0]);
  ++posted_;
  return &receive;
}

/// Writes the position of the receive buffer into the sender's segment, so that the sender's DMA can write
/// into the buffer. A buffer outside registered memory is posted without position; its data then comes
/// through staging.
/// @param number number of the receive, from 0
void SisciRecvComm::post(std::uint64_t number, const ReceiveBuffer& buffer) {
  PostedReceive& post = sender_memory_->posts[number % kMaxRequests];
  const auto* region = static_cast<const SisciRegion*>(buffer.region);
  if (region != nullptr && region->covers(buffer.data, buffer.bytes)) {
    post.segment_id = region->segment.id();
    post.generation = region->generation;
    post.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(buffer.data) - region->base);
  } else {
    post.segment_id = kNoSegment;
  }
  post.bytes = buffer.bytes;
  sender_segment_->store_barrier();
  store_flag(post.sequence, number + 1);
  sender_segment_->flush();
}

bool SisciRecvComm::test(Request* request, std::size_t* received_bytes) try {
  auto& receive = *static_cast<SisciReceive*>(request);
  while (!receive.done) {
    if (release_copied_fragments() || progress()) continue;
    // Fragments being copied have arrived, whatever happens to the sender.
    if (staging_freed_ == staging_read_ && check_timer_.is_due()) check_peer();
    return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  receive.in_use = false;
  return true;
} catch (...) {
  state_->worker_pool->drain();  // callers free their buffers on the way out
  throw;
}

/// Handles the next message, or the next part of one, for the oldest unfinished receive.
/// @returns false if nothing has arrived or no receive is posted
bool SisciRecvComm::progress() {
  if (announced_ == posted_) return false;
  return expects_cell_ ? read_cell() || read_slot() : read_slot() || read_cell();
}

void SisciRecvComm::require_fits(const SisciReceive& receive, std::size_t total) {
  if (total > receive.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(total) +
                                          " bytes arrived for a receive of " + std::to_string(receive.bytes));
}

/// Copies those bytes of the next message that have newly arrived in its cell (a message with flags in its
/// words).
/// @returns true if anything new had arrived
bool SisciRecvComm::read_cell() {
  const std::uint64_t use = slots_read_ + 1;
  const auto head = read_flagged_head(receiver_memory_->cells, use);
  if (!head) return false;
  expects_cell_ = true;
  SisciReceive& receive = receives_[announced_ % kMaxRequests];
  require_fits(receive, head->bytes);
  const std::size_t before = receive.received;
  receive.received = read_flagged(receiver_memory_->cells, use, receive.data, before, head->bytes);
  if (receive.received != head->bytes) return receive.received != before;
  receive.done = true;
  ++announced_;
  counters_.add(head->bytes);
  release_slot();
  return true;
}

/// Handles the next slot in the receiver's segment: takes the small message in it, or the announcement of a
/// large one or of its next fragment. The data of a large message have arrived elsewhere, or wait at the
/// sender until a receive is posted.
/// @returns false if the sender has not written the slot
bool SisciRecvComm::read_slot() {
  const SisciSlot& slot = receiver_memory_->slots[slots_read_ % kSlots];
  if (load_flag(slot.sequence) != slots_read_ + 1) return false;
  expects_cell_ = false;
  SisciReceive& receive = receives_[announced_ % kMaxRequests];
  receive.total = slot.total;
  require_fits(receive, slot.total);
  switch (slot.kind) {
    case SlotKind::kInline:
      if (slot.bytes > kInlineBytes)
        throw Error(ErrorCode::kProtocol, "a mailbox slot claims more than it holds");
      if (slot.bytes == sizeof(std::uint64_t))
        std::memcpy(receive.data, slot.payload, sizeof(std::uint64_t));
      else if (slot.bytes != 0)
        std::memcpy(receive.data, slot.payload, slot.bytes);
      receive.announced = slot.bytes;
      add_received(receive, slot.bytes);
      break;
    case SlotKind::kPlaced:
      receive.announced = slot.total;
      add_received(receive, slot.total);
      break;
    case SlotKind::kStaged:
      read_staged(slot, receive);
      break;
    case SlotKind::kWaiting:
      break;
    default:
      throw Error(ErrorCode::kProtocol, "a mailbox slot has an unknown kind");
  }
  if (slot.kind != SlotKind::kWaiting && receive.announced == slot.total) {
    ++announced_;
    counters_.add(slot.total);
  }
  release_slot();
  return true;
}

/// Frees the message slot that was just read. The sender is informed only when a quarter of the slots is
/// free. So the cache line with the count moves rarely, and the sender still waits for slots only if the
/// receiver falls behind.
void SisciRecvComm::release_slot() {
  if (++slots_read_ - slots_credited_ < kSlots / 4) return;
  slots_credited_ = slots_read_;
  store_flag(sender_memory_->slots_consumed, slots_read_);
  sender_segment_->flush();
}

void SisciRecvComm::add_received(SisciReceive& receive, std::size_t bytes) {
  receive.received += bytes;
  receive.done = receive.received == receive.total;
}

void SisciRecvComm::read_staged(const SisciSlot& slot, SisciReceive& receive) {
  if (slot.bytes > kStagingBytes || slot.total < receive.announced ||
      slot.bytes > slot.total - receive.announced)
    throw Error(ErrorCode::kProtocol, "a staging fragment is longer than its message");
  if (staging_read_ - staging_freed_ == kStagingSlots)
    throw Error(ErrorCode::kProtocol, "the sender used a staging slot that was not free");
  Fragment& fragment = fragments_[staging_read_ % kStagingSlots];
  const std::byte* from = receiver_memory_->staging[staging_read_ % kStagingSlots];
  std::byte* to = receive.data + receive.announced;
  fragment.receive = &receive;
  fragment.bytes = slot.bytes;
  receive.announced += slot.bytes;
  ++staging_read_;
  if (state_->copiers == 0 || slot.bytes < kMinSharedCopyBytes) {
    std::memcpy(to, from, slot.bytes);
  } else {
    const std::size_t step = WorkerPool::slice_bytes(slot.bytes, state_->copiers);
    for (std::size_t at = 0; at < fragment.bytes; at += step)
      state_->worker_pool->submit(
          {copy_slice,
           to + at,
           {reinterpret_cast<std::uintptr_t>(from + at), std::min(step, fragment.bytes - at)},
           &fragment.open},
          state_->copiers);
  }
  release_copied_fragments();
}

/// Frees the staging slots that have been copied out, in order, and informs the sender.
/// @returns true if at least one was freed
bool SisciRecvComm::release_copied_fragments() {
  if (staging_freed_ == staging_read_) return false;
  const std::uint64_t before = staging_freed_;
  while (staging_freed_ != staging_read_) {
    Fragment& fragment = fragments_[staging_freed_ % kStagingSlots];
    if (fragment.open.load(std::memory_order_acquire) != 0) {
      state_->worker_pool->help();
      if (fragment.open.load(std::memory_order_acquire) != 0) break;
    }
    add_received(*fragment.receive, fragment.bytes);
    ++staging_freed_;
  }
  if (staging_freed_ == before) return false;
  store_flag(sender_memory_->staging_consumed, staging_freed_);
  sender_segment_->flush();
  return true;
}

Request* SisciRecvComm::iflush(std::span<const ReceiveBuffer> /*buffers*/) { return nullptr; }

void SisciRecvComm::check_peer() {
  const bool closed = load_flag(receiver_memory_->control.closed.flag) != 0;
  if (!closed) {
    try {
      sender_segment_->check_alive();
    } catch (const Error&) {
      // Before it disconnected, the peer may have sent the rest.
      if (!progress()) throw;
    }
    return;
  }
  // The peer writes `closed` last, so everything it sent before has arrived.
  if (!progress() && announced_ != posted_)
    throw Error(ErrorCode::kConnectionLost,
                "the sender closed the connection before all expected messages came");
}

}  // namespace collbench::sisci
