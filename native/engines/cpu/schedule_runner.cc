#include "engines/cpu/schedule_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace collbench::cpu {
namespace {

/// Minimum size of scratch memory in bytes: one huge page, because shm copies from it faster than from as
/// many small pages, even in messages of 32 KiB.
constexpr std::size_t kMinScratch = std::size_t{2} << 20;
/// Up to this size in bytes, scratch memory at least doubles when it grows. So a run over many sizes rarely
/// registers new memory. Larger scratch memory has exactly the needed size, because the memory estimate for a
/// run assumes it (suites/engines/cpu/memory.ts).
constexpr std::size_t kMaxDoubledScratch = std::size_t{64} << 20;
/// While a rank waits for certain receives, it polls its other receives only once in so many polls. They are
/// polled at all because a peer may be unable to continue before they are complete.
constexpr std::uint32_t kOthersEvery = 16;
/// Bytes that a waiting rank copies between two polls.
constexpr std::size_t kIdleCopyBytes = std::size_t{128} << 10;

[[noreturn]] void throw_wrong_length(std::size_t bytes, std::size_t due) {
  throw Error(ErrorCode::kProtocol,
              std::to_string(bytes) + " bytes came where " + std::to_string(due) +
                  " were due: the transport cut the message, or the ranks run different operations");
}

}  // namespace

ScheduleRunner::ScheduleRunner(std::vector<PeerConnections>& peers, std::size_t longest_message,
                               std::uint32_t spins, const std::function<bool()>& cancelled)
    : peers_(peers),
      longest_message_(longest_message),
      spins_(spins),
      cancelled_(cancelled),
      scratch_(peers),
      lanes_(2 * peers.size()) {}

ScheduleRunner::Lane& ScheduleRunner::lane_of(int peer, bool sends) {
  const auto p = static_cast<std::size_t>(peer);
  Lane& lane = lanes_.at(2 * p + (sends ? 1 : 0));
  if (sends)
    lane.send = peers_[p].send.get();
  else
    lane.recv = peers_[p].recv.get();
  if (lane.send == nullptr && lane.recv == nullptr) throw not_connected(peer);
  return lane;
}

/// Appends a message. One longer than longest_message_ is split; the peer splits it in the same way.
void ScheduleRunner::add_message(Lane& lane, std::byte* data, std::size_t bytes, MemoryRegion* region,
                                 std::size_t completed) {
  const bool sends = lane.send != nullptr;
  Completion& completion = sends ? sent_ : received_;
  std::size_t at = 0;
  do {
    PreparedStep& message = steps_.emplace_back();
    message.kind = sends ? ScheduleStep::StepKind::kSend : ScheduleStep::StepKind::kReceive;
    message.to = data + at;
    message.size = std::min(longest_message_, bytes - at);
    message.completed = completed;
    message.number = completion.run_of.size();
    message.lane = &lane;
    message.region = region;
    at += message.size;
    message.is_last = at == bytes;
  } while (at < bytes);
  completion.run_of.push_back(0);
}

void ScheduleRunner::prepare(const Schedule& schedule, const Operation& operation,
                             const CallBuffers& buffers) {
  static const Kernels& kernels = cpu::kernels(best_isa());
  const auto type = static_cast<int>(operation.dtype);
  const std::size_t element = size_of(operation.dtype);
  combine_ = kernels.combine[type][static_cast<int>(operation.op)];
  divide_ = kernels.divide[type];
  if (const std::size_t bytes = schedule.scratch_elements() * element; bytes > 0)
    scratch_.reserve(bytes > kMaxDoubledScratch ? bytes : std::bit_ceil(std::max(bytes, kMinScratch)));
  RegisteredMemory* const memories[] = {buffers.send_memory, buffers.recv_memory, &scratch_};
  // Steps only read from the send buffer.
  std::byte* const data[] = {const_cast<std::byte*>(buffers.send), buffers.recv, scratch_.data()};
  const auto at = [&](const BufferPosition& place) {
    return data[static_cast<std::size_t>(place.space)] + place.at * element;
  };
  clear();
  for (const ScheduleStep& step : schedule.steps()) {
    using enum ScheduleStep::StepKind;
    if (step.kind == kSend || step.kind == kReceive) {
      const bool sends = step.kind == kSend;
      const BufferPosition& place = sends ? step.from : step.to;
      RegisteredMemory& memory = *memories[static_cast<std::size_t>(place.space)];
      Lane& lane = lane_of(step.peer, sends);
      add_message(lane, at(place), step.elements * element,
                  sends ? memory.to(step.peer) : memory.from(step.peer), step.completed);
      continue;
    }
    const bool copies = step.kind == kCopy || step.kind == kCopyWhenIdle;
    if (copies && at(step.to) == at(step.from)) continue;
    PreparedStep& prepared = steps_.emplace_back();
    prepared.kind = step.kind;
    prepared.completed = step.completed;
    prepared.size = step.elements * (copies ? element : 1);
    prepared.to = at(step.to);
    prepared.from = at(step.from);
    prepared.with = at(step.with);
  }
}

void ScheduleRunner::clear() noexcept {
  steps_.clear();
  sent_.run_of.clear();
  received_.run_of.clear();
  received_.times_ns.clear();
  run_ = 0;
}

/// Forgets the messages of the latest run, which may have failed.
void ScheduleRunner::begin() noexcept {
  for (Lane* lane : active_) {
    lane->oldest = lane->unstarted = nullptr;
    lane->is_active = false;
  }
  active_.clear();
  sent_.count = received_.count = 0;
  ++run_;
  idle_copy_ = {};
}

/// Returns true if the transport has accepted the message. A receive is not offered to it before the sends on
/// which the receive depends are complete.
inline bool ScheduleRunner::start(const Lane& lane, PreparedStep& message) const {
  if (lane.send != nullptr) {
    message.request = lane.send->isend(message.to, message.size, 0, message.region);
  } else {
    if (message.completed > sent_.count) return false;
    const ReceiveBuffer buffer{message.to, message.size, 0, message.region};
    message.request = lane.recv->irecv({&buffer, 1});
  }
  return message.request != nullptr;
}

/// Returns true if a message that was started is complete.
/// @throws Error(kProtocol) if it has another length than expected
inline bool ScheduleRunner::finish(const Lane& lane, const PreparedStep& message) {
  std::size_t bytes = message.size;
  if (lane.send != nullptr ? !lane.send->test(message.request) : !lane.recv->test(message.request, &bytes))
    return false;
  if (bytes != message.size) throw_wrong_length(bytes, message.size);
  if (message.is_last) (lane.send != nullptr ? sent_ : received_).complete(message.number, run_);
  return true;
}

/// Starts messages of the lane in order, as many as the transport accepts, and completes those whose number
/// is less than `end`. Returns true if it started or completed at least one.
inline bool ScheduleRunner::advance(Lane& lane, std::size_t end) {
  bool moved = false;
  for (; lane.unstarted != nullptr && start(lane, *lane.unstarted); lane.unstarted = lane.unstarted->next)
    moved = true;
  for (; lane.oldest != lane.unstarted && lane.oldest->number < end && finish(lane, *lane.oldest);
       lane.oldest = lane.oldest->next)
    moved = true;
  return moved;
}

/// Starts a message, or queues it if the transport does not accept it yet.
void ScheduleRunner::post(PreparedStep& message) {
  Lane& lane = *message.lane;
  message.next = nullptr;
  if (lane.oldest != nullptr) {
    lane.newest = lane.newest->next = &message;
    if (lane.unstarted == nullptr) lane.unstarted = &message;
    advance(lane, 0);
    return;
  }
  const bool is_started = start(lane, message);
  // A short message has often left when it is accepted.
  if (is_started && lane.send != nullptr && finish(lane, message)) return;
  lane.oldest = lane.newest = &message;
  lane.unstarted = is_started ? nullptr : &message;
  if (!lane.is_active) active_.push_back(&lane);
  lane.is_active = true;
}

/// Polls the lanes of all sends, and those lanes of receives whose oldest message has a number less than
/// `receives`. Other lanes of receives are polled only if `all` is true, and complete one message at most, so
/// that data are used while they are in cache.
/// @returns true if a message was started or completed
bool ScheduleRunner::poll(std::size_t receives, bool all) {
  bool moved = false;
  std::size_t kept = 0;
  for (Lane* lane : active_) {
    if (lane->send != nullptr)
      moved |= advance(*lane, kAllMessages);
    else if (lane->oldest != nullptr && (all || lane->oldest->number < receives))
      moved |= advance(*lane, std::max(receives, lane->oldest->number + 1));
    lane->is_active = lane->oldest != nullptr;
    if (lane->is_active) active_[kept++] = lane;
  }
  active_.resize(kept);
  return moved;
}

/// Waits until the first `messages` sends or receives are complete.
void ScheduleRunner::wait(const Completion& completion, std::size_t messages) {
  if (completion.count >= messages) return;
  TransportWait waiting(spins_, cancelled_);
  const std::size_t receives = &completion == &received_ ? messages : kAllMessages;
  for (std::uint32_t looks = 1; completion.count < messages; ++looks) {
    // If polls are followed by sleep, all receives are polled; otherwise an early arrival would end a sleep
    // twice.
    if (poll(receives, spins_ == 0 || looks % kOthersEvery == 0))
      waiting.progressed();
    else if (!copy_part())
      waiting.step([this](std::vector<pollfd>& set) {
        for (const Lane* lane : active_)
          if (lane->oldest != lane->unstarted)
            lane->send != nullptr ? lane->send->add_to_poll(set) : lane->recv->add_to_poll(set);
      });
  }
}

/// Copies at most kIdleCopyBytes of the copy that a step kCopyWhenIdle has left. Returns false if nothing of
/// it is left.
bool ScheduleRunner::copy_part() {
  auto& [to, from, bytes] = idle_copy_;
  if (bytes == 0) return false;
  const std::size_t part = std::min(kIdleCopyBytes, bytes);
  std::memcpy(to, from, part);
  idle_copy_ = {to + part, from + part, bytes - part};
  return true;
}

void ScheduleRunner::run() {
  begin();
  for (PreparedStep& step : steps_) switch (step.kind) {
      case ScheduleStep::StepKind::kSend:
      case ScheduleStep::StepKind::kReceive:
        post(step);
        break;
      case ScheduleStep::StepKind::kAwait:
        wait(received_, step.completed);
        break;
      case ScheduleStep::StepKind::kDrain:
        wait(sent_, step.completed);
        break;
      case ScheduleStep::StepKind::kCombine:
        combine_(step.to, step.from, step.with, step.size);
        break;
      case ScheduleStep::StepKind::kCopy:
        std::memcpy(step.to, step.from, step.size);
        break;
      case ScheduleStep::StepKind::kCopyWhenIdle:
        while (copy_part()) {
        }
        idle_copy_ = {step.to, step.from, step.size};
        break;
      case ScheduleStep::StepKind::kDivide:
        divide_(step.to, step.size, static_cast<int>(peers_.size()));
        break;
    }
  wait(received_, received_.run_of.size());
  wait(sent_, sent_.run_of.size());
  while (copy_part()) {
  }
}

void ScheduleRunner::transfer(std::span<const PeerMessage> messages, const RegionOf& region_of) {
  clear();
  const bool wants_times = std::any_of(messages.begin(), messages.end(), [](const PeerMessage& message) {
    return message.arrived_ns != nullptr;
  });
  for (const bool sends : {false, true})
    for (const PeerMessage& message : messages) {
      if (sends != (message.direction == PeerMessage::Direction::kSend)) continue;
      Lane& lane = lane_of(message.peer, sends);
      if (wants_times && !sends) received_.times_ns.push_back(message.arrived_ns);
      add_message(lane, message.data, message.bytes, region_of(message), 0);
    }
  run();
}

}  // namespace collbench::cpu
