#include "workloads/stencil/puts.h"

#include <atomic>
#include <cstring>

#include "core/spin.h"

namespace collbench::stencil {
namespace {

constexpr std::uint32_t kLooksPerStop = 256;

constexpr int opposite(int side) noexcept { return side ^ 1; }

std::atomic_ref<std::uint64_t> number_at(std::byte* at) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at));
}

}  // namespace

Puts::Puts(Engine& engine, const Memory& memory, const std::array<int, kSides>& neighbours,
           const std::array<std::size_t, kSides>& lengths, std::uint32_t spins)
    : engine_(engine),
      port_(engine.put_port()),
      memory_(memory),
      spins_(spins),
      edges_(port_.expose(memory.edge(0, 0), memory.lanes_bytes())),
      halos_(port_.expose(memory.halo(0, 0), memory.lanes_bytes())) {
  for (int side = 0; side < kSides; ++side) {
    const auto s = static_cast<std::size_t>(side);
    if (neighbours[s] >= 0) links_.push_back({side, neighbours[s], lengths[s], port_.open_queue(), {}});
  }
  connect();
}

/// Addresses cross as messages, in the lanes themselves.
void Puts::connect() {
  const auto exchange = [&](std::size_t bytes) {
    std::vector<Message> messages;
    for (const Link& link : links_) {
      messages.push_back({Message::Way::kReceive, link.peer, memory_.halo(0, link.side), bytes});
      messages.push_back({Message::Way::kSend, link.peer, memory_.edge(0, link.side), bytes});
    }
    if (!messages.empty()) engine_.transfer(messages);
    engine_.synchronize();
  };
  const PutTarget mine = port_.target_of(*halos_, memory_.halo(0, 0));
  for (const Link& link : links_) {
    const PutQueue::Address address = link.queue->address();
    std::byte* const at = memory_.edge(0, link.side);
    std::memcpy(at, &mine, sizeof mine);
    std::memcpy(at + sizeof mine, address.data(), sizeof address);
  }
  exchange(sizeof mine + sizeof(PutQueue::Address));
  for (Link& link : links_) {
    PutQueue::Address address;
    const std::byte* const at = memory_.halo(0, link.side);
    std::memcpy(&link.lanes, at, sizeof link.lanes);
    std::memcpy(address.data(), at + sizeof link.lanes, sizeof address);
    link.queue->connect(address);
    for (int turn = 0; turn < 2; ++turn)
      number_at(memory_.halo(turn, link.side) + memory_.number_offset()).store(0);
  }
  // Nobody puts before the other end is ready.
  exchange(sizeof(std::uint64_t));
}

template <class Done>
void Puts::await(Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !done(); spinner.step())
    if (++looks % kLooksPerStop == 0) engine_.stop_if_cancelled();
}

void Puts::write(int turn) {
  ++number_;
  for (Link& link : links_) {
    std::byte* const from = memory_.edge(turn, link.side);
    const PutTarget to{link.lanes.address + memory_.lane_offset(turn, opposite(link.side)), link.lanes.key};
    std::memcpy(from + memory_.number_offset(), &number_, sizeof number_);
    link.queue->write(to, from, *edges_, link.bytes, false);
    link.ticket = link.queue->write({to.address + memory_.number_offset(), to.key},
                                    from + memory_.number_offset(), *edges_, sizeof number_, true);
  }
}

void Puts::ring() {
  for (const Link& link : links_) link.queue->ring(link.ticket);
}

void Puts::await_completion() {
  for (const Link& link : links_)
    await([&] {
      link.queue->poll();
      return link.queue->has_completed(link.ticket);
    });
}

void Puts::put(int turn) {
  write(turn);
  ring();
  await_completion();
}

void Puts::await_halos(int turn) {
  for (const Link& link : links_) {
    await([&] {
      port_.progress();
      // A neighbour may be one exchange ahead, but in the other lanes.
      return number_at(memory_.halo(turn, link.side) + memory_.number_offset())
                 .load(std::memory_order_acquire) == number_;
    });
    port_.count_received(link.bytes + sizeof number_);
  }
}

}  // namespace collbench::stencil
