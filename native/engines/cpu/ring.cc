#include "engines/cpu/ring.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace collbench::cpu {
namespace {

/// Number of slots in addition to those that are always needed, so that receives can be posted early. Needed
/// are `skew` slots for each step that forwards, since a rank holds so many chunks of it. With fewer slots,
/// all ranks could wait for a free slot at their neighbours for ever.
constexpr int kSlotsAhead = 4;
int slots_for(int ranks, int skew) noexcept { return skew * std::max(1, ranks - 1) + kSlotsAhead; }

constexpr std::size_t kOwnCopyBytes = std::size_t{128} << 10;
constexpr std::size_t kCacheLine = 64;

}  // namespace

RingExecutor::RingExecutor(RecvComm& left, SendComm& right, int ranks, const RingTuning& tuning,
                           std::uint32_t spins, const std::function<bool()>& cancelled)
    : left_(left),
      right_(right),
      tuning_(tuning),
      spins_(spins),
      cancelled_(cancelled),
      slots_(static_cast<std::size_t>(slots_for(ranks, tuning.skew)) * tuning.largest_chunk),
      slot_count_(slots_for(ranks, tuning.skew)),
      ranks_(ranks),
      slot_busy_(static_cast<std::size_t>(slot_count_)) {
  slots_from_left_ = left_.register_memory(slots_.data(), slots_.size(), MemoryKind::kHost);
  slots_to_right_ = right_.register_memory(slots_.data(), slots_.size(), MemoryKind::kHost);
}

RingExecutor::~RingExecutor() {
  if (slots_from_left_ != nullptr) left_.deregister_memory(slots_from_left_);
  if (slots_to_right_ != nullptr) right_.deregister_memory(slots_to_right_);
}

std::byte* RingExecutor::slot(int index) const noexcept {
  return slots_.data() + static_cast<std::size_t>(index) * slot_bytes_;
}

RingExecutor::Span RingExecutor::span_of(std::size_t chunk, std::size_t length) const noexcept {
  const std::size_t at = std::min(chunk * chunk_elements_, length);
  return {at, std::min(chunk_elements_, length - at)};
}

/// Moves the cursor to the next item (step, chunk) in which this direction has something to do.
/// @param takes returns true for steps in which the direction is active
template <class Takes>
void RingExecutor::advance_to_item(Cursor& cursor, Takes takes) const {
  const std::size_t steps = plan_->steps.size();
  const auto skew = static_cast<std::size_t>(tuning_.skew);
  const std::size_t rounds = steps == 0 ? 0 : chunks_ + (steps - 1) * skew;
  for (; cursor.round < rounds; ++cursor.round, cursor.step = 0)
    for (; cursor.step < steps; ++cursor.step) {
      if (cursor.round < cursor.step * skew || !takes(plan_->steps[cursor.step])) continue;
      cursor.chunk = cursor.round - cursor.step * skew;
      if (cursor.chunk < chunks_) return;
    }
  cursor.end = true;
}

template <class Takes>
void RingExecutor::advance(Cursor& cursor, Takes takes) const {
  ++cursor.step;
  advance_to_item(cursor, takes);
}

namespace {
constexpr auto kReceives = [](const RingStep& step) { return step.receives; };
constexpr auto kSends = [](const RingStep& step) { return step.sends; };
}  // namespace

bool RingExecutor::post_receive() {
  if (posting_.end || receives_.full()) return false;
  const RingStep& step = plan_->steps[posting_.step];
  const Span span = span_of(posting_.chunk, step.receive_length);
  InFlightMessage flight{nullptr, posting_.step, posting_.chunk, kNoSlot};
  ReceiveBuffer buffer;
  buffer.bytes = span.elements * element_;
  if (step.sink == RingSink::kStore) {
    buffer.data = buffers_.recv + (step.store_at + span.at) * element_;
    buffer.region = buffers_.recv_region;
  } else {
    if (slot_busy_[static_cast<std::size_t>(next_slot_)] != 0) return false;
    flight.slot = next_slot_;
    buffer.data = slot(next_slot_);
    buffer.region = slots_from_left_;
  }
  flight.request = left_.irecv({&buffer, 1});
  if (flight.request == nullptr) return false;
  if (flight.slot != kNoSlot) {
    slot_busy_[static_cast<std::size_t>(flight.slot)] = 1;
    next_slot_ = (next_slot_ + 1) % slot_count_;
  }
  receives_.push(flight);
  advance(posting_, kReceives);
  return true;
}

bool RingExecutor::finish_receive() {
  if (receives_.count == 0) return false;
  const InFlightMessage flight = receives_.oldest();
  std::size_t bytes = 0;
  if (!left_.test(flight.request, &bytes)) return false;
  receives_.pop();
  const RingStep& step = plan_->steps[flight.step];
  const Span span = span_of(flight.chunk, step.receive_length);
  if (bytes != span.elements * element_)
    throw Error(ErrorCode::kProtocol,
                "ring: " + std::to_string(bytes) + " bytes came where " +
                    std::to_string(span.elements * element_) + " were due (step " +
                    std::to_string(flight.step) + ", chunk " + std::to_string(flight.chunk) +
                    "): the transport cut the message, or the ranks run different operations");
  if (step.sink != RingSink::kStore) {
    std::byte* in = slot(flight.slot);
    const std::byte* own = buffers_.send + (step.own_at + span.at) * element_;
    if (step.sink == RingSink::kForward) {
      combine_(in, own, in, span.elements);
      held_[flight.step * static_cast<std::size_t>(slot_count_) +
            flight.chunk % static_cast<std::size_t>(slot_count_)] = flight.slot;
    } else {
      std::byte* out = buffers_.recv + (step.store_at + span.at) * element_;
      combine_(out, own, in, span.elements);
      if (divide_ != nullptr) divide_(out, span.elements, ranks_);
      slot_busy_[static_cast<std::size_t>(flight.slot)] = 0;
    }
  }
  ++received_[flight.step];
  return true;
}

bool RingExecutor::start_send() {
  if (sending_.end || sends_.full()) return false;
  const RingStep& step = plan_->steps[sending_.step];
  if (step.after >= 0 && received_[static_cast<std::size_t>(step.after)] <= sending_.chunk) return false;
  const Span span = span_of(sending_.chunk, step.send_length);
  InFlightMessage flight{nullptr, sending_.step, sending_.chunk, kNoSlot};
  const std::byte* from = nullptr;
  MemoryRegion* region = nullptr;
  switch (step.source) {
    case RingSource::kSendBuffer:
      from = buffers_.send + (step.send_at + span.at) * element_;
      region = buffers_.send_region;
      break;
    case RingSource::kRecvBuffer:
      from = buffers_.recv + (step.send_at + span.at) * element_;
      region = buffers_.forward_region;
      break;
    case RingSource::kSlot:
      flight.slot = held_[static_cast<std::size_t>(step.after) * static_cast<std::size_t>(slot_count_) +
                          sending_.chunk % static_cast<std::size_t>(slot_count_)];
      from = slot(flight.slot);
      region = slots_to_right_;
      break;
  }
  flight.request = right_.isend(from, span.elements * element_, 0, region);
  if (flight.request == nullptr) return false;
  sends_.push(flight);
  advance(sending_, kSends);
  return true;
}

bool RingExecutor::finish_send() {
  if (sends_.count == 0) return false;
  const InFlightMessage flight = sends_.oldest();
  if (!right_.test(flight.request)) return false;
  sends_.pop();
  if (flight.slot != kNoSlot) slot_busy_[static_cast<std::size_t>(flight.slot)] = 0;
  return true;
}

bool RingExecutor::copy_own() {
  if (copied_ == own_bytes_) return false;
  const std::size_t n = std::min(kOwnCopyBytes, own_bytes_ - copied_);
  std::memcpy(buffers_.recv + plan_->copy_to * element_ + copied_, buffers_.send + copied_, n);
  copied_ += n;
  return true;
}

void RingExecutor::run(const RingPlan& plan, const Operation& operation, const RingBuffers& buffers) {
  static const Kernels& kernels = cpu::kernels(best_isa());
  const auto type = static_cast<int>(operation.dtype);
  plan_ = &plan;
  buffers_ = buffers;
  combine_ = kernels.combine[type][static_cast<int>(operation.op)];
  divide_ = operation.op == ReduceOp::kAvg ? kernels.divide[type] : nullptr;
  element_ = size_of(operation.dtype);
  const std::size_t wanted =
      std::clamp(plan.longest * element_ / tuning_.chunks_per_block,
                 std::min(tuning_.smallest_chunk, tuning_.largest_chunk), tuning_.largest_chunk);
  // Chunks are whole cache lines if large enough, so that two messages never share a line.
  const std::size_t whole = wanted < kCacheLine ? wanted : wanted / kCacheLine * kCacheLine;
  chunk_elements_ = std::max<std::size_t>(1, whole / element_);
  // Slots are adjacent, so that small messages between many ranks touch few pages.
  slot_bytes_ = std::min(tuning_.largest_chunk,
                         (chunk_elements_ * element_ + kCacheLine - 1) / kCacheLine * kCacheLine);
  chunks_ = (plan.longest + chunk_elements_ - 1) / chunk_elements_;
  received_.assign(plan.steps.size(), 0);
  held_.resize(plan.steps.size() * static_cast<std::size_t>(slot_count_));
  const bool copies = plan.copies_own && buffers.recv + plan.copy_to * element_ != buffers.send;
  own_bytes_ = copies ? plan.copy_length * element_ : 0;
  copied_ = 0;
  posting_ = {};
  sending_ = {};
  advance_to_item(posting_, kReceives);
  advance_to_item(sending_, kSends);
  TransportWait waiting(spins_, cancelled_);
  for (;;) {
    bool progress = false;
    while (post_receive()) progress = true;
    progress |= start_send();
    progress |= finish_receive();
    progress |= finish_send();
    if (progress) {
      waiting.progressed();
      continue;
    }
    if (posting_.end && sending_.end && receives_.count == 0 && sends_.count == 0) break;
    if (copy_own()) continue;
    waiting.step([this](std::vector<pollfd>& set) {
      if (receives_.count > 0) left_.add_to_poll(set);
      if (sends_.count > 0) right_.add_to_poll(set);
    });
  }
  while (copy_own()) {
  }
}

}  // namespace collbench::cpu
