#include "transports/ibgda/recv_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "transports/argument_checks.h"

namespace collbench::ibgda {
namespace {

// Number of received messages after which the sender is told that their slots are free: a quarter of all
// slots.
constexpr std::uint64_t kCredits = kMaxRequests / 4;

}  // namespace

IbgdaRecvComm::IbgdaRecvComm(std::unique_ptr<IbgdaConnection> connection,
                             std::shared_ptr<CounterTable> counter_table)
    : connection_(std::move(connection)),
      counter_table_(std::move(counter_table)),
      counters_(counter_table_->open(false)) {}

IbgdaRecvComm::~IbgdaRecvComm() {
  if (!failed_) connection_->close(offsetof(SenderMemory, closed));
}

MemoryRegion* IbgdaRecvComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  require_host_memory("ibgda", kind);
  if (bytes == 0) return nullptr;
  return regions_.emplace_back(connection_->device().register_memory(data, bytes)).get();
}

void IbgdaRecvComm::deregister_memory(MemoryRegion* region) {
  std::erase_if(regions_, [region](const auto& one) { return one.get() == region; });
}

Request* IbgdaRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  require_one_buffer("ibgda", buffers);
  IbgdaReceive& receive = receives_[next_ % kMaxRequests];
  if (receive.in_use) return nullptr;
  receive.data = static_cast<std::byte*>(buffers[0].data);
  receive.bytes = buffers[0].bytes;
  receive.region = static_cast<const Registration*>(buffers[0].region);
  receive.received = 0;
  receive.in_use = true;
  receive.done = false;
  ++next_;
  progress();
  return &receive;
}

bool IbgdaRecvComm::test(Request* request, std::size_t* received_bytes) {
  auto& receive = *static_cast<IbgdaReceive*>(request);
  if (!receive.done) {
    progress();
    if (!receive.done) {
      if (read_flag(connection_->memory<ReceiverMemory>().closed) != 0 && !take_message())
        throw Error(ErrorCode::kConnectionLost, "ibgda: the sender has closed the connection");
      connection_->check_peer();
    }
    if (!receive.done) return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  receive.own.reset();
  receive.in_use = false;
  return true;
}

Request* IbgdaRecvComm::iflush(std::span<const ReceiveBuffer> /*buffers*/) { return nullptr; }

void IbgdaRecvComm::progress() try {
  QueueInitiator& initiator = connection_->initiator();
  initiator.poll();
  while (posted_ != next_ && post_receive(receives_[posted_ % kMaxRequests], posted_)) ++posted_;
  while (take_message()) {
  }
  if (taken_ - credited_ >= kCredits && initiator.has_room(1)) {
    connection_->put_word(offsetof(SenderMemory, consumed), taken_, true);
    credited_ = taken_;
  }
  initiator.ring();
} catch (...) {
  failed_ = true;
  throw;
}

/// Writes the address of the receive buffer into the sender's memory; a buffer without registration is
/// registered for this message. Does nothing for a buffer of at most kInlineBytes, because every message that
/// fits into it comes through this end's `payloads`.
/// @param number number of the message, from 0
/// @returns false if the send ring has no room; repeat later
bool IbgdaRecvComm::post_receive(IbgdaReceive& receive, std::uint64_t number) {
  if (receive.bytes <= kInlineBytes) return true;
  QueueInitiator& initiator = connection_->initiator();
  constexpr std::size_t kFields = offsetof(PostedReceive, sequence);
  if (!initiator.has_room(initiator.inline_blocks(kFields) + 1)) return false;
  if (receive.region == nullptr || !receive.region->covers(receive.data, receive.bytes)) {
    receive.own = connection_->device().register_memory(receive.data, receive.bytes);
    receive.region = receive.own.get();
  }
  const PostedReceive posted{reinterpret_cast<std::uintptr_t>(receive.data), receive.bytes,
                             receive.region->remote_key(), number + 1};
  const std::size_t at = offsetof(SenderMemory, posts) + number % kMaxRequests * sizeof(PostedReceive);
  initiator.write_inline(connection_->peer_address(at), connection_->peer_key(), &posted, kFields, false);
  connection_->put_word(at + kFields, posted.sequence, true);
  return true;
}

/// Completes the oldest unfinished receive if its message has arrived.
/// @returns false if no message has arrived or no receive is posted
bool IbgdaRecvComm::take_message() {
  if (taken_ == next_) return false;
  const ReceiverMemory& inbox = connection_->memory<ReceiverMemory>();
  const std::size_t slot = taken_ % kMaxRequests;
  const std::uint64_t flag = read_flag(inbox.slots[slot].flag);
  if (!is_flag_for(flag, taken_)) return false;
  const std::uint64_t bytes = flag >> 24;
  IbgdaReceive& receive = receives_[slot];
  if (bytes > receive.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(bytes) +
                                          " bytes arrived for a receive of " + std::to_string(receive.bytes));
  if (bytes > 0 && bytes <= kInlineBytes) std::memcpy(receive.data, inbox.payloads[slot].data(), bytes);
  receive.received = bytes;
  receive.done = true;
  counters_.add(bytes);
  ++taken_;
  return true;
}

}  // namespace collbench::ibgda
