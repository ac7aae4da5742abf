#include "engines/cpu/schedule_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace collbench::cpu {
namespace {

constexpr std::size_t kMinScratch = std::size_t{64} << 10;
/// Up to this size scratch memory at least doubles when it grows. So a run over many sizes rarely registers
/// new memory. Larger scratch memory has exactly the needed size, because the memory estimate for a run
/// assumes it (suites/engines/cpu/memory.ts).
constexpr std::size_t kMaxDoubledScratch = std::size_t{64} << 20;
/// While a rank waits for certain messages, it polls its other messages only once in so many polls. They are
/// polled at all because a peer may be unable to continue before they are complete.
constexpr std::uint32_t kOthersEvery = 16;

}  // namespace

ScheduleRunner::ScheduleRunner(std::vector<PeerConnections>& peers, std::size_t longest_message,
                               std::uint32_t spins, const std::function<bool()>& cancelled)
    : peers_(peers),
      longest_message_(longest_message),
      spins_(spins),
      cancelled_(cancelled),
      scratch_(peers) {}

std::byte* ScheduleRunner::at(BufferPosition place) const noexcept {
  const std::size_t offset = place.at * element_;
  switch (place.space) {
    case BufferSpace::kSend:
      return const_cast<std::byte*>(buffers_.send) + offset;  // Steps only read from the send buffer.
    case BufferSpace::kRecv:
      return buffers_.recv + offset;
    case BufferSpace::kScratch:
      break;
  }
  return scratch_.data() + offset;
}

MemoryRegion* ScheduleRunner::region(BufferSpace space, int peer, bool sends) {
  RegisteredMemory& memory = space == BufferSpace::kSend   ? *buffers_.send_memory
                             : space == BufferSpace::kRecv ? *buffers_.recv_memory
                                                           : scratch_;
  return sends ? memory.to(peer) : memory.from(peer);
}

PeerConnections& ScheduleRunner::peer_of(const ScheduleStep& step) const {
  PeerConnections& peer = peers_.at(static_cast<std::size_t>(step.peer));
  const bool sends = step.kind == ScheduleStep::StepKind::kSend;
  if (sends ? peer.send != nullptr : peer.recv != nullptr) return peer;
  throw not_connected(step.peer);
}

bool ScheduleRunner::offer(InFlightMessage& flight) {
  if (flight.lane % 2 == 0) {
    flight.request = flight.peer->send->isend(flight.data, flight.bytes, 0, flight.memory);
  } else {
    const ReceiveBuffer buffer{flight.data, flight.bytes, 0, flight.memory};
    flight.request = flight.peer->recv->irecv({&buffer, 1});
  }
  flight.taken = flight.request != nullptr;
  return flight.taken;
}

bool ScheduleRunner::offer_again() {
  if (refused_ == 0) return false;
  is_stuck_.assign(refused_of_.size(), false);
  bool moved = false;
  const auto go = [&](InFlightMessage& flight) {
    if (flight.taken || is_stuck_[flight.lane]) return;
    if (!offer(flight)) {
      is_stuck_[flight.lane] = true;
      return;
    }
    --refused_;
    --refused_of_[flight.lane];
    moved = true;
  };
  for (std::size_t i = arrived_; i < receives_.size(); ++i) go(receives_[i]);
  for (InFlightMessage& flight : sends_) go(flight);
  return moved;
}

/// Starts a step's message, or queues it if the transport does not accept it yet. A message longer than
/// longest_message_ is split; the peer splits it in the same way.
void ScheduleRunner::post(const ScheduleStep& step) {
  const bool sends = step.kind == ScheduleStep::StepKind::kSend;
  PeerConnections& peer = peer_of(step);
  const BufferPosition place = sends ? step.from : step.to;
  MemoryRegion* const memory = region(place.space, step.peer, sends);
  std::byte* const data = at(place);
  const std::size_t bytes = step.elements * element_;
  const std::size_t lane = 2 * static_cast<std::size_t>(step.peer) + (sends ? 0 : 1);
  for (std::size_t done = 0; done < bytes;) {
    InFlightMessage flight{nullptr, &peer, data + done, std::min(longest_message_, bytes - done),
                           memory,  lane,  false};
    done += flight.bytes;
    // A peer may accept the message only after receiving something else from here, so later steps continue.
    if (refused_of_[lane] > 0 || !offer(flight)) {
      ++refused_;
      ++refused_of_[lane];
    }
    if (!sends)
      receives_.push_back(flight);
    else if (!flight.taken || !peer.send->test(flight.request))
      sends_.push_back(flight);
  }
  if (!sends) posted_after_.push_back(receives_.size());
}

/// Polls all started sends. Returns true if at least one has completed.
bool ScheduleRunner::test_sends() {
  return std::erase_if(sends_, [](const InFlightMessage& flight) {
           return flight.taken && flight.peer->send->test(flight.request);
         }) > 0;
}

/// Polls the receives number `first` to `end` - 1. Returns true if at least one has completed.
bool ScheduleRunner::test_receives(std::size_t first, std::size_t end) {
  bool came = false;
  for (std::size_t i = first; i < end; ++i) {
    InFlightMessage& flight = receives_[i];
    std::size_t bytes = 0;
    if (flight.request == nullptr || !flight.peer->recv->test(flight.request, &bytes)) continue;
    if (bytes != flight.bytes)
      throw Error(ErrorCode::kProtocol,
                  std::to_string(bytes) + " bytes came where " + std::to_string(flight.bytes) +
                      " were due: the transport cut the message, or the ranks run different operations");
    flight.request = nullptr;
    came = true;
  }
  while (arrived_ < receives_.size() && receives_[arrived_].taken && receives_[arrived_].request == nullptr)
    ++arrived_;
  return came;
}

void ScheduleRunner::step(TransportWait& waiting, std::size_t receives) {
  waiting.step([this, receives](std::vector<pollfd>& set) {
    for (const InFlightMessage& flight : sends_) flight.peer->send->add_to_poll(set);
    for (std::size_t i = arrived_; i < receives; ++i)
      if (receives_[i].request != nullptr) receives_[i].peer->recv->add_to_poll(set);
  });
}

void ScheduleRunner::await(std::size_t receives) {
  TransportWait waiting(spins_, cancelled_);
  // If polls are followed by sleep, all receives are polled; otherwise an early arrival would end a sleep
  // twice.
  const std::size_t usual = spins_ == 0 ? receives_.size() : receives;
  for (std::uint32_t looks = 1; arrived_ < receives; ++looks) {
    bool moved = offer_again();
    moved |= test_receives(arrived_, looks % kOthersEvery == 0 ? receives_.size() : usual);
    moved |= test_sends();
    if (moved)
      waiting.progressed();
    else
      step(waiting, usual);
  }
}

void ScheduleRunner::drain() {
  TransportWait waiting(spins_, cancelled_);
  while (!sends_.empty()) {
    bool moved = offer_again();
    moved |= test_sends();
    moved |= test_receives(arrived_, receives_.size());
    if (moved)
      waiting.progressed();
    else
      step(waiting, receives_.size());
  }
}

void ScheduleRunner::compute(const ScheduleStep& step) const {
  std::byte* const to = at(step.to);
  const std::byte* const from = at(step.from);
  if (step.kind == ScheduleStep::StepKind::kCombine)
    combine_(to, from, at(step.with), step.elements);
  else if (step.kind == ScheduleStep::StepKind::kDivide)
    divide_(to, step.elements, static_cast<int>(peers_.size()));
  else if (to != from)
    std::memcpy(to, from, step.elements * element_);
}

void ScheduleRunner::run(const Schedule& schedule, const Operation& operation, const CallBuffers& buffers) {
  static const Kernels& kernels = cpu::kernels(best_isa());
  const auto type = static_cast<int>(operation.dtype);
  buffers_ = buffers;
  element_ = size_of(operation.dtype);
  combine_ = kernels.combine[type][static_cast<int>(operation.op)];
  divide_ = kernels.divide[type];
  sends_.clear();
  receives_.clear();
  posted_after_.clear();
  arrived_ = 0;
  refused_ = 0;
  refused_of_.assign(2 * peers_.size(), 0);
  if (const std::size_t bytes = schedule.scratch_elements() * element_; bytes > 0)
    scratch_.reserve(bytes > kMaxDoubledScratch ? bytes : std::bit_ceil(std::max(bytes, kMinScratch)));
  for (const ScheduleStep& one : schedule.steps()) switch (one.kind) {
      case ScheduleStep::StepKind::kSend:
      case ScheduleStep::StepKind::kReceive:
        post(one);
        break;
      case ScheduleStep::StepKind::kAwait:
        await(posted_after_[one.receives - 1]);
        break;
      case ScheduleStep::StepKind::kDrain:
        drain();
        break;
      case ScheduleStep::StepKind::kCombine:
      case ScheduleStep::StepKind::kCopy:
      case ScheduleStep::StepKind::kDivide:
        compute(one);
        break;
    }
  await(receives_.size());
  drain();
}

}  // namespace collbench::cpu
