#include "transports/ibgda/send_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "transports/argument_checks.h"

namespace collbench::ibgda {

IbgdaSendComm::IbgdaSendComm(std::unique_ptr<IbgdaConnection> connection,
                             std::shared_ptr<CounterTable> counter_table)
    : connection_(std::move(connection)),
      staging_(connection_->device(), kMaxRequests * kInlineBytes),
      counter_table_(std::move(counter_table)),
      counters_(counter_table_->open(true)) {}

IbgdaSendComm::~IbgdaSendComm() {
  if (!failed_) connection_->close(offsetof(ReceiverMemory, closed));
}

MemoryRegion* IbgdaSendComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  require_host_memory("ibgda", kind);
  if (bytes == 0) return nullptr;
  return regions_.emplace_back(connection_->device().register_memory(data, bytes)).get();
}

void IbgdaSendComm::deregister_memory(MemoryRegion* region) {
  std::erase_if(regions_, [region](const auto& one) { return one.get() == region; });
}

Request* IbgdaSendComm::isend(const void* data, std::size_t bytes, int /*tag*/, MemoryRegion* region) {
  IbgdaMessage& message = messages_[next_ % kMaxRequests];
  if (message.in_use) return nullptr;
  message.data = static_cast<const std::byte*>(data);
  message.bytes = bytes;
  message.region = static_cast<const Registration*>(region);
  message.sent = 0;
  message.in_use = true;
  message.started = false;
  ++next_;
  progress();
  return &message;
}

bool IbgdaSendComm::test(Request* request) {
  auto& message = *static_cast<IbgdaMessage*>(request);
  if (!message.started || !connection_->initiator().has_completed(message.end)) {
    progress();
    const bool is_short = message.bytes <= kInlineBytes;  // its bytes have been copied, so the buffer is free
    if (!message.started || (!is_short && !connection_->initiator().has_completed(message.end))) {
      if (!message.started && read_flag(connection_->memory<SenderMemory>().closed) != 0)
        throw Error(ErrorCode::kConnectionLost, "ibgda: the receiver has closed the connection");
      connection_->check_peer();
      return false;
    }
  }
  message.own.reset();
  message.in_use = false;
  return true;
}

void IbgdaSendComm::progress() try {
  connection_->initiator().poll();
  while (started_ != next_) {
    IbgdaMessage& message = messages_[started_ % kMaxRequests];
    if (!start(message, started_)) break;
    message.started = true;
    counters_.add(message.bytes);
    ++started_;
  }
  connection_->initiator().ring();
} catch (...) {
  failed_ = true;
  throw;
}

/// Writes the work queue entries of a message, as many as there is room for.
/// @param number number of the message, from 0
/// @returns true if the whole message is in the send ring. False if the ring is full or the receiver has not
/// yet provided space for the message; the caller repeats later.
bool IbgdaSendComm::start(IbgdaMessage& message, std::uint64_t number) {
  const bool has_slot = number - read_flag(connection_->memory<SenderMemory>().consumed) < kMaxRequests;
  if (!has_slot) return false;
  return message.bytes <= kInlineBytes ? start_short(message, number) : start_long(message, number);
}

bool IbgdaSendComm::start_short(IbgdaMessage& message, std::uint64_t number) {
  QueueInitiator& initiator = connection_->initiator();
  const std::size_t slot = number % kMaxRequests;
  const bool stands_in_entry = message.bytes <= initiator.max_inline_bytes();
  const std::uint32_t blocks = stands_in_entry ? initiator.inline_blocks(message.bytes) : 1;
  if (!initiator.has_room(blocks + 1)) return false;
  const std::uint64_t to =
      connection_->peer_address(offsetof(ReceiverMemory, payloads) + slot * kInlineBytes);
  if (stands_in_entry) {
    if (message.bytes > 0)
      initiator.write_inline(to, connection_->peer_key(), message.data, message.bytes, false);
  } else {
    if (!initiator.has_completed(staged_[slot])) return false;
    std::byte* staged = staging_.data() + slot * kInlineBytes;
    std::memcpy(staged, message.data, message.bytes);
    initiator.write(to, connection_->peer_key(), staged, staging_.registration().local_key(), message.bytes,
                    false);
  }
  announce(message, number, true);
  if (!stands_in_entry) staged_[slot] = message.end;
  return true;
}

bool IbgdaSendComm::start_long(IbgdaMessage& message, std::uint64_t number) {
  const PostedReceive& posted = connection_->memory<SenderMemory>().posts[number % kMaxRequests];
  if (read_flag(posted.sequence) != number + 1) return false;
  if (posted.bytes < message.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(message.bytes) +
                                          " bytes meets a receive of " + std::to_string(posted.bytes));
  if (message.region == nullptr || !message.region->covers(message.data, message.bytes)) {
    if (message.own == nullptr)
      message.own =
          connection_->device().register_memory(const_cast<std::byte*>(message.data), message.bytes);
    message.region = message.own.get();
  }
  QueueInitiator& initiator = connection_->initiator();
  while (message.sent < message.bytes) {
    if (!initiator.has_room(1)) return false;
    const std::size_t bytes = std::min(QueueInitiator::kMaxBytes, message.bytes - message.sent);
    // Every entry requests its completion, because the ring holds no more than what is in flight.
    initiator.write(posted.address + message.sent, static_cast<std::uint32_t>(posted.key),
                    message.data + message.sent, message.region->local_key(), bytes, true);
    message.sent += bytes;
  }
  if (!initiator.has_room(1)) return false;
  announce(message, number, true);
  return true;
}

void IbgdaSendComm::announce(IbgdaMessage& message, std::uint64_t number, bool completes) {
  const std::size_t at =
      offsetof(ReceiverMemory, slots) + number % kMaxRequests * sizeof(ReceiverMemory::Announcement);
  message.end = connection_->put_word(at, make_flag(number, message.bytes), completes);
}

}  // namespace collbench::ibgda
