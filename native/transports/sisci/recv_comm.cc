#include "transports/sisci/recv_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::sisci {
namespace {

/// Shorter fragments are copied at once: handing them over would take as long as the copy.
constexpr std::size_t kCrewBytes = 64 * 1024;

void copy_slice(void* to, const std::array<std::uint64_t, 3>& what) noexcept {
  std::memcpy(to, reinterpret_cast<const void*>(static_cast<std::uintptr_t>(what[0])), what[1]);
}

}  // namespace

SisciRecvComm::SisciRecvComm(std::shared_ptr<Fabric> fabric, std::unique_ptr<LocalSegment> inbox,
                             std::unique_ptr<RemoteSegment> desk, Path path)
    : fabric_(std::move(fabric)),
      inbox_segment_(std::move(inbox)),
      desk_segment_(std::move(desk)),
      inbox_(reinterpret_cast<Inbox*>(inbox_segment_->data())),
      desk_(reinterpret_cast<Desk*>(desk_segment_->data())),
      path_(path),
      regions_(fabric_->adapter),
      tally_(fabric_->new_tally(false)) {
  fabric_->note_path(path);
}

SisciRecvComm::~SisciRecvComm() {
  for (const Fragment& fragment : fragments_) fabric_->worker_pool->finish(fragment.open);
  announce(*desk_segment_, desk_->control.closed, 1);
}

MemoryRegion* SisciRecvComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  return regions_.add(data, bytes, kind, path_);
}

void SisciRecvComm::deregister_memory(MemoryRegion* region) { regions_.remove(region); }

Request* SisciRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  if (buffers.size() != 1)
    throw Error(ErrorCode::kInvalidArgument,
                "the sisci transport receives 1 buffer per irecv, got " + std::to_string(buffers.size()));
  Receive& receive = receives_[posted_ % kMaxRequests];
  if (receive.in_use) return nullptr;
  receive.data = static_cast<std::byte*>(buffers[0].data);
  receive.bytes = buffers[0].bytes;
  receive.announced = 0;
  receive.received = 0;
  receive.total = 0;
  receive.in_use = true;
  receive.done = false;
  if (receive.bytes > kInlineBytes && path_ == Path::kRegistered) post(posted_, buffers[0]);
  ++posted_;
  return &receive;
}

/// Tells the sender where the message goes, so that its DMA engine can write there.
void SisciRecvComm::post(std::uint64_t number, const ReceiveBuffer& buffer) {
  Post& post = desk_->posts[number % kMaxRequests];
  const auto* region = static_cast<const Region*>(buffer.region);
  if (region != nullptr && region->covers(buffer.data, buffer.bytes)) {
    post.segment_id = region->segment.id();
    post.generation = region->generation;
    post.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(buffer.data) - region->base);
  } else {
    post.segment_id = kNoSegment;
  }
  post.bytes = buffer.bytes;
  desk_segment_->store_barrier();
  store_flag(post.sequence, number + 1);
  desk_segment_->flush();
}

bool SisciRecvComm::test(Request* request, std::size_t* received_bytes) try {
  auto& receive = *static_cast<Receive*>(request);
  while (!receive.done) {
    if (reap_fragments() || progress()) continue;
    // What is being copied out has come, whatever became of the sender.
    if (staging_freed_ == staging_read_ && watch_.due()) look_for_peer();
    return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  receive.in_use = false;
  return true;
} catch (...) {
  fabric_->worker_pool->drain();  // callers free their buffers on the way out
  throw;
}

/// Takes what comes next; false when there is none or nobody wants it yet.
bool SisciRecvComm::progress() {
  if (announced_ == posted_) return false;
  return expects_cell_ ? read_cell() || read_slot() : read_slot() || read_cell();
}

void SisciRecvComm::require_fits(const Receive& receive, std::size_t total) {
  if (total > receive.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(total) +
                                          " bytes arrived for a receive of " + std::to_string(receive.bytes));
}

/// A message whose words carry flags, as far as it has come.
bool SisciRecvComm::read_cell() {
  const std::uint64_t use = slots_read_ + 1;
  const auto head = flagged_head(inbox_->cells, use);
  if (!head) return false;
  expects_cell_ = true;
  Receive& receive = receives_[announced_ % kMaxRequests];
  require_fits(receive, head->bytes);
  const std::size_t before = receive.received;
  receive.received = read_flagged(inbox_->cells, use, receive.data, before, head->bytes);
  if (receive.received != head->bytes) return receive.received != before;
  receive.done = true;
  ++announced_;
  tally_.add(head->bytes);
  consumed();
  return true;
}

/// The next slot of the inbox.
bool SisciRecvComm::read_slot() {
  const Slot& slot = inbox_->slots[slots_read_ % kSlots];
  if (load_flag(slot.sequence) != slots_read_ + 1) return false;
  expects_cell_ = false;
  Receive& receive = receives_[announced_ % kMaxRequests];
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
      arrived(receive, slot.bytes);
      break;
    case SlotKind::kPlaced:
      receive.announced = slot.total;
      arrived(receive, slot.total);
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
    tally_.add(slot.total);
  }
  consumed();
  return true;
}

/// A quarter of the slots per credit: the sender never runs dry and the line bounces rarely.
void SisciRecvComm::consumed() {
  if (++slots_read_ - slots_credited_ < kSlots / 4) return;
  slots_credited_ = slots_read_;
  store_flag(desk_->slots_consumed, slots_read_);
  desk_segment_->flush();
}

void SisciRecvComm::arrived(Receive& receive, std::size_t bytes) {
  receive.received += bytes;
  receive.done = receive.received == receive.total;
}

void SisciRecvComm::read_staged(const Slot& slot, Receive& receive) {
  if (slot.bytes > kStagingBytes || slot.total < receive.announced ||
      slot.bytes > slot.total - receive.announced)
    throw Error(ErrorCode::kProtocol, "a staging fragment is longer than its message");
  if (staging_read_ - staging_freed_ == kStagingSlots)
    throw Error(ErrorCode::kProtocol, "the sender used a staging slot that was not free");
  Fragment& fragment = fragments_[staging_read_ % kStagingSlots];
  const std::byte* from = inbox_->staging[staging_read_ % kStagingSlots];
  std::byte* to = receive.data + receive.announced;
  fragment.receive = &receive;
  fragment.bytes = slot.bytes;
  receive.announced += slot.bytes;
  ++staging_read_;
  if (fabric_->copiers == 0 || slot.bytes < kCrewBytes) {
    std::memcpy(to, from, slot.bytes);
  } else {
    const std::size_t step = WorkerPool::slice_bytes(slot.bytes, fabric_->copiers);
    for (std::size_t at = 0; at < fragment.bytes; at += step)
      fabric_->worker_pool->submit(
          {copy_slice,
           to + at,
           {reinterpret_cast<std::uintptr_t>(from + at), std::min(step, fragment.bytes - at)},
           &fragment.open},
          fabric_->copiers);
  }
  reap_fragments();
}

/// Gives staging slots back whose copy is over; false when there were none.
bool SisciRecvComm::reap_fragments() {
  if (staging_freed_ == staging_read_) return false;
  const std::uint64_t before = staging_freed_;
  while (staging_freed_ != staging_read_) {
    Fragment& fragment = fragments_[staging_freed_ % kStagingSlots];
    if (fragment.open.load(std::memory_order_acquire) != 0) {
      fabric_->worker_pool->help();
      if (fragment.open.load(std::memory_order_acquire) != 0) break;
    }
    arrived(*fragment.receive, fragment.bytes);
    ++staging_freed_;
  }
  if (staging_freed_ == before) return false;
  store_flag(desk_->staging_consumed, staging_freed_);
  desk_segment_->flush();
  return true;
}

Request* SisciRecvComm::iflush(std::span<const ReceiveBuffer> /*buffers*/) { return nullptr; }

void SisciRecvComm::look_for_peer() {
  const bool closed = load_flag(inbox_->control.closed.flag) != 0;
  if (!closed) {
    try {
      desk_segment_->check_alive();
    } catch (const Error&) {
      // Between the two looks the peer may have sent the rest, closed and gone.
      if (!progress()) throw;
    }
    return;
  }
  // The peer writes `closed` last: what it had sent before is already here.
  if (!progress() && announced_ != posted_)
    throw Error(ErrorCode::kConnectionLost,
                "the sender closed the connection before all expected messages came");
}

}  // namespace collbench::sisci
