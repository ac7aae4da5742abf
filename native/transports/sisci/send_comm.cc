#include "transports/sisci/send_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::sisci {

SisciSendComm::SisciSendComm(std::shared_ptr<TransportState> state,
                             std::unique_ptr<LocalSegment> sender_segment,
                             std::unique_ptr<RemoteSegment> receiver_segment, unsigned int peer_node,
                             DmaPath path)
    : state_(std::move(state)),
      sender_segment_(std::move(sender_segment)),
      receiver_segment_(std::move(receiver_segment)),
      sender_memory_(reinterpret_cast<SenderMemory*>(sender_segment_->data())),
      receiver_memory_(reinterpret_cast<ReceiverMemory*>(receiver_segment_->data())),
      path_(path),
      regions_(state_->adapter),
      remote_regions_(state_->adapter, peer_node),
      counters_(state_->counters.open(true)) {
  for (auto& engine : engines_) engine.queue = std::make_unique<DmaQueue>(state_->adapter);
  state_->note_path(path);
}

SisciSendComm::~SisciSendComm() {
  for (auto& engine : engines_) engine.queue.reset();
  announce(*receiver_segment_, receiver_memory_->control.closed, 1);
}

MemoryRegion* SisciSendComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  return regions_.add(data, bytes, kind, path_);
}

void SisciSendComm::deregister_memory(MemoryRegion* region) { regions_.remove(region); }

bool SisciSendComm::slot_free() {
  if (slots_written_ - slots_consumed_ < kSlots) return true;
  slots_consumed_ = load_flag(sender_memory_->slots_consumed);
  return slots_written_ - slots_consumed_ < kSlots;
}

bool SisciSendComm::staging_free() {
  if (staging_started_ - staging_consumed_ < kStagingSlots) return true;
  staging_consumed_ = load_flag(sender_memory_->staging_consumed);
  return staging_started_ - staging_consumed_ < kStagingSlots;
}

void SisciSendComm::write_slot(SlotKind kind, const std::byte* payload, std::size_t payload_bytes,
                               std::size_t bytes, std::size_t total) {
  SisciSlot& slot = receiver_memory_->slots[slots_written_ % kSlots];
  slot.kind = kind;
  slot.bytes = static_cast<std::uint32_t>(bytes);
  slot.total = total;
  if (payload_bytes == sizeof(std::uint64_t))
    std::memcpy(slot.payload, payload, sizeof(std::uint64_t));
  else if (payload_bytes != 0)
    std::memcpy(slot.payload, payload, payload_bytes);
  cells_.skip(receiver_memory_->cells, slots_written_ + 1);
  receiver_segment_->store_barrier();
  store_flag(slot.sequence, ++slots_written_);
  receiver_segment_->flush();
}

/// Writes a small message (at most kInlineBytes) into the receiver's segment: into the next slot, or into a
/// cell if messages carry flags in their words and it is short enough.
void SisciSendComm::write_message(const std::byte* data, std::size_t bytes) {
  if (!carries_flags_ || !may_carry_flags(bytes, 0))
    return write_slot(SlotKind::kInline, data, bytes, bytes, bytes);
  cells_.write(receiver_memory_->cells, ++slots_written_, data, bytes, 0);
  receiver_segment_->flush();  // only for speed
  counters_.add_flagged();
}

Request* SisciSendComm::isend(const void* data, std::size_t bytes, int /*tag*/, MemoryRegion* region) {
  const auto* from = static_cast<const std::byte*>(data);
  if (bytes <= kInlineBytes && announced_ == next_ && slot_free()) {
    write_message(from, bytes);
    announced_ = started_ = ++next_;
    counters_.add(bytes);
    return &immediate_;
  }
  SisciMessage& message = messages_[next_ % kMaxRequests];
  if (message.in_use) {
    progress();
    return nullptr;
  }
  const auto* known = static_cast<const SisciRegion*>(region);
  message = SisciMessage{};
  message.data = from;
  message.bytes = bytes;
  message.region = known != nullptr && known->covers(data, bytes) ? known : nullptr;
  message.in_use = true;
  ++next_;
  counters_.add(bytes);
  progress();
  return &message;
}

bool SisciSendComm::test(Request* request) {
  if (request == &immediate_) return true;
  auto& message = *static_cast<SisciMessage*>(request);
  if (!message.done) progress();
  if (!message.done) {
    if (!check_timer_.is_due()) return false;
    try {
      check_peer();
    } catch (...) {
      abort_all();
      throw;
    }
    return false;
  }
  message.in_use = false;
  return true;
}

void SisciSendComm::progress() {
  if (failed_) throw Error(ErrorCode::kConnectionLost, "the connection has failed before");
  try {
    collect_finished_engines();
    start();
    announce_landed();
  } catch (...) {
    abort_all();
    throw;
  }
}

/// Stops all DMA transfers of this comm. Callers free their buffers when an error is thrown, so no DMA may
/// read them later.
void SisciSendComm::abort_all() noexcept {
  failed_ = true;
  for (auto& engine : engines_) engine.queue->abort();
  state_->worker_pool->drain();
}

void SisciSendComm::collect_finished_engines() {
  for (auto& engine : engines_) {
    if (engine.message == nullptr || !engine.queue->has_finished()) continue;
    engine.message->landed += engine.bytes;
    if (engine.fragment != kNoSegment) staging_landed_[engine.fragment % kStagingSlots] = true;
    engine.message = nullptr;
  }
}

void SisciSendComm::start() {
  for (; started_ != next_; ++started_) {
    SisciMessage& message = messages_[started_ % kMaxRequests];
    if (message.method == SendMethod::kUndecided && !choose_method(message, started_)) return;
    if (message.method == SendMethod::kPlaced && !start_placed(message)) return;
    if (message.method == SendMethod::kStaged && !start_staged(message)) return;
  }
}

/// Chooses how the message is sent: in a slot, directly into the receive buffer, or through staging.
/// @param number number of the message, from 0
/// @returns false if that depends on the receive buffer and the receiver has not posted it yet
/// @throws Error(kProtocol) if the message is longer than the receive buffer
bool SisciSendComm::choose_method(SisciMessage& message, std::uint64_t number) {
  if (message.bytes <= kInlineBytes) {
    message.method = SendMethod::kInline;
    return true;
  }
  if (path_ == DmaPath::kUserMemory) {
    message.method = SendMethod::kStaged;
    return true;
  }
  const PostedReceive& post = sender_memory_->posts[number % kMaxRequests];
  if (load_flag(post.sequence) != number + 1) return false;
  message.post = post;
  if (message.bytes > message.post.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(message.bytes) +
                                          " bytes was sent to a receive of " +
                                          std::to_string(message.post.bytes));
  message.method = message.post.segment_id == kNoSegment ? SendMethod::kStaged : SendMethod::kPlaced;
  return true;
}

SisciSendComm::DmaEngine* SisciSendComm::idle_engine() {
  for (auto& engine : engines_)
    if (engine.message == nullptr) return &engine;
  return nullptr;
}

/// Starts DMA transfers of further pieces of the message, directly into the receive buffer.
/// @returns true when all bytes have been handed to DMA queues; false if none is free or the segment is not
/// connected yet
bool SisciSendComm::start_placed(SisciMessage& message) {
  if (message.target == nullptr) message.target = remote_regions_.find(message.post);
  if (message.target == nullptr) return false;
  while (message.started < message.bytes) {
    DmaEngine* engine = idle_engine();
    if (engine == nullptr) return false;
    const std::size_t piece = std::min(kDmaPieceBytes, message.bytes - message.started);
    const std::byte* from = message.data + message.started;
    const std::size_t to = message.post.offset + message.started;
    const bool taken = message.region != nullptr
                           ? engine->queue->start(message.region->segment,
                                                  static_cast<std::size_t>(from - message.region->base),
                                                  *message.target, to, piece)
                           : engine->queue->start_from_user(from, *message.target, to, piece);
    if (!taken) return false;
    engine->message = &message;
    engine->bytes = piece;
    engine->fragment = kNoSegment;
    message.started += piece;
    if (!engine->queue->has_finished()) continue;
    engine->message = nullptr;
    message.landed += piece;
  }
  return true;
}

bool SisciSendComm::start_staged(SisciMessage& message) {
  while (message.started < message.bytes) {
    if (!staging_free()) return false;
    const std::uint64_t fragment = staging_started_;
    const std::size_t piece = std::min(kStagingBytes, message.bytes - message.started);
    const std::byte* from = message.data + message.started;
    const std::uint64_t cell = fragment % kStagingSlots;
    if (piece <= kPioFragmentBytes) {
      std::memcpy(receiver_memory_->staging[cell], from, piece);
      message.landed += piece;
      staging_landed_[cell] = true;
    } else {
      DmaEngine* engine = idle_engine();
      if (engine == nullptr) return false;
      if (!engine->queue->start_from_user(from, *receiver_segment_,
                                          offsetof(ReceiverMemory, staging) + cell * kStagingBytes, piece))
        return false;
      const bool over = engine->queue->has_finished();
      staging_landed_[cell] = over;
      if (over) {
        message.landed += piece;
      } else {
        engine->message = &message;
        engine->bytes = piece;
        engine->fragment = fragment;
      }
    }
    ++staging_started_;
    message.started += piece;
    if (announced_ == started_) announce_fragments(message);
  }
  return true;
}

/// Tells the receiver which parts of a message have arrived in its staging memory, so that it copies them.
/// @param message the oldest message not announced completely
/// @returns true when the whole message is announced
bool SisciSendComm::announce_fragments(SisciMessage& message) {
  while (message.announced != message.bytes) {
    const std::uint64_t cell = staging_announced_ % kStagingSlots;
    if (staging_announced_ == staging_started_ || !staging_landed_[cell] || !slot_free()) return false;
    const std::size_t piece = std::min(kStagingBytes, message.bytes - message.announced);
    write_slot(SlotKind::kStaged, nullptr, 0, piece, message.bytes);
    staging_landed_[cell] = false;
    ++staging_announced_;
    message.announced += piece;
  }
  return true;
}

/// Announces messages to the receiver strictly in the order of isend(), and writes the waiting small ones.
/// Stops at the first message whose data have not arrived completely in the receiver's memory, or if no slot
/// is free.
void SisciSendComm::announce_landed() {
  while (announced_ != next_) {
    SisciMessage& message = messages_[announced_ % kMaxRequests];
    if (message.method == SendMethod::kUndecided && message.bytes <= kInlineBytes)
      message.method = SendMethod::kInline;
    switch (message.method) {
      case SendMethod::kUndecided:
        return;
      case SendMethod::kInline:
        if (!slot_free()) return;
        write_message(message.data, message.bytes);
        break;
      case SendMethod::kPlaced:
        if (message.landed != message.bytes || !slot_free()) return;
        write_slot(SlotKind::kPlaced, nullptr, 0, 0, message.bytes);
        break;
      case SendMethod::kStaged:
        if (!announce_fragments(message)) return;
        break;
    }
    message.done = true;
    ++announced_;
    started_ = std::max(started_, announced_);
  }
}

void SisciSendComm::check_peer() {
  if (load_flag(sender_memory_->control.closed.flag) != 0)
    throw Error(ErrorCode::kConnectionLost,
                "the receiver closed the connection while messages were on their way");
  receiver_segment_->check_alive();
  // A receive of at most kInlineBytes is never posted in the sender's memory, so a longer message would wait
  // for ever. Announcing its size lets the receiver report the error.
  if (announced_ == next_) return;
  SisciMessage& message = messages_[announced_ % kMaxRequests];
  if (message.method != SendMethod::kUndecided || message.asked || !slot_free()) return;
  write_slot(SlotKind::kWaiting, nullptr, 0, 0, message.bytes);
  message.asked = true;
}

}  // namespace collbench::sisci
