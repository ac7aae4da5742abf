#include "engines/cpu/schedule_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace collbench::cpu {
namespace {

constexpr std::size_t kLeastScratch = std::size_t{64} << 10;
/// Up to here scratch doubles, so that the sizes of a sweep register it seldom. Above it has what a schedule
/// needs: the plan of a run counts on that (suites/engines/cpu/memory.ts).
constexpr std::size_t kMostDoubledScratch = std::size_t{64} << 20;
/// While one message is awaited, the others are looked at that often: a peer may wait for room to send on.
constexpr std::uint32_t kOthersEvery = 16;

}  // namespace

ScheduleRunner::ScheduleRunner(std::vector<Peer>& peers, std::size_t longest_message, std::uint32_t spins,
                               const std::function<bool()>& cancelled)
    : peers_(peers),
      longest_message_(longest_message),
      spins_(spins),
      cancelled_(cancelled),
      scratch_(peers) {}

std::byte* ScheduleRunner::at(Place place) const noexcept {
  const std::size_t offset = place.at * element_;
  switch (place.space) {
    case Space::kSend:
      return const_cast<std::byte*>(buffers_.send) + offset;  // steps only read there
    case Space::kRecv:
      return buffers_.recv + offset;
    case Space::kScratch:
      break;
  }
  return scratch_.data() + offset;
}

MemoryRegion* ScheduleRunner::region(Space space, int peer, bool sends) {
  Registered& memory = space == Space::kSend   ? *buffers_.send_memory
                       : space == Space::kRecv ? *buffers_.recv_memory
                                               : scratch_;
  return sends ? memory.to(peer) : memory.from(peer);
}

Peer& ScheduleRunner::peer_of(const Step& step) const {
  Peer& peer = peers_.at(static_cast<std::size_t>(step.peer));
  const bool sends = step.kind == Step::Kind::kSend;
  if (sends ? peer.send != nullptr : peer.recv != nullptr) return peer;
  throw not_connected(step.peer);
}

bool ScheduleRunner::offer(Flight& flight) {
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
  const auto go = [&](Flight& flight) {
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
  for (Flight& flight : sends_) go(flight);
  return moved;
}

/// Longer messages go in pieces, alike on both sides.
void ScheduleRunner::post(const Step& step) {
  const bool sends = step.kind == Step::Kind::kSend;
  Peer& peer = peer_of(step);
  const Place place = sends ? step.from : step.to;
  MemoryRegion* const memory = region(place.space, step.peer, sends);
  std::byte* const data = at(place);
  const std::size_t bytes = step.elements * element_;
  const std::size_t lane = 2 * static_cast<std::size_t>(step.peer) + (sends ? 0 : 1);
  for (std::size_t done = 0; done < bytes;) {
    Flight flight{nullptr, &peer, data + done, std::min(longest_message_, bytes - done), memory, lane, false};
    done += flight.bytes;
    // A peer may take it only once something else has come to it from here: later steps go on.
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

/// True when one went.
bool ScheduleRunner::look_at_sends() {
  return std::erase_if(sends_, [](const Flight& flight) {
           return flight.taken && flight.peer->send->test(flight.request);
         }) > 0;
}

/// True when one came.
bool ScheduleRunner::look_at_receives(std::size_t first, std::size_t end) {
  bool came = false;
  for (std::size_t i = first; i < end; ++i) {
    Flight& flight = receives_[i];
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

void ScheduleRunner::step(Waiting& waiting, std::size_t receives) {
  waiting.step([this, receives](std::vector<pollfd>& set) {
    for (const Flight& flight : sends_) flight.peer->send->add_to_poll(set);
    for (std::size_t i = arrived_; i < receives; ++i)
      if (receives_[i].request != nullptr) receives_[i].peer->recv->add_to_poll(set);
  });
}

void ScheduleRunner::await(std::size_t receives) {
  Waiting waiting(spins_, cancelled_);
  // Where looks are followed by sleep, all are looked at: what comes early ends no sleep twice then.
  const std::size_t usual = spins_ == 0 ? receives_.size() : receives;
  for (std::uint32_t looks = 1; arrived_ < receives; ++looks) {
    bool moved = offer_again();
    moved |= look_at_receives(arrived_, looks % kOthersEvery == 0 ? receives_.size() : usual);
    moved |= look_at_sends();
    if (moved)
      waiting.progressed();
    else
      step(waiting, usual);
  }
}

void ScheduleRunner::drain() {
  Waiting waiting(spins_, cancelled_);
  while (!sends_.empty()) {
    bool moved = offer_again();
    moved |= look_at_sends();
    moved |= look_at_receives(arrived_, receives_.size());
    if (moved)
      waiting.progressed();
    else
      step(waiting, receives_.size());
  }
}

void ScheduleRunner::compute(const Step& step) const {
  std::byte* const to = at(step.to);
  const std::byte* const from = at(step.from);
  if (step.kind == Step::Kind::kCombine)
    combine_(to, from, at(step.with), step.elements);
  else if (step.kind == Step::Kind::kDivide)
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
    scratch_.reserve(bytes > kMostDoubledScratch ? bytes : std::bit_ceil(std::max(bytes, kLeastScratch)));
  for (const Step& one : schedule.steps()) switch (one.kind) {
      case Step::Kind::kSend:
      case Step::Kind::kReceive:
        post(one);
        break;
      case Step::Kind::kAwait:
        await(posted_after_[one.receives - 1]);
        break;
      case Step::Kind::kDrain:
        drain();
        break;
      case Step::Kind::kCombine:
      case Step::Kind::kCopy:
      case Step::Kind::kDivide:
        compute(one);
        break;
    }
  await(receives_.size());
  drain();
}

}  // namespace collbench::cpu
