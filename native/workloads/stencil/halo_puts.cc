#include "workloads/stencil/halo_puts.h"

#include <atomic>

#include "core/spin.h"

namespace collbench::stencil {
namespace {

constexpr std::uint32_t kPollsPerStop = 256;

std::atomic_ref<std::uint64_t> number_at(std::byte* at) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at));
}

}  // namespace

HaloPuts::HaloPuts(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours,
                   std::uint32_t spins)
    : engine_(engine),
      port_(engine.put_port()),
      memory_(memory),
      spins_(spins),
      edges_(port_.expose(memory.edge(0, 0), memory.lanes_bytes())),
      halos_(port_.expose(memory.halo(0, 0), memory.lanes_bytes())) {
  for (int side = 0; side < kSides; ++side) {
    const auto s = static_cast<std::size_t>(side);
    if (neighbours.ranks[s] >= 0) links_.push_back({side, neighbours.bytes[s], port_.open_queue(), {}});
  }
  connect(neighbours);
}

/// Connects a queue to each neighbour. Neighbours exchange their addresses as messages, through the lanes.
void HaloPuts::connect(const Neighbours& neighbours) {
  struct TargetAddress {
    PutTarget lanes;
    PutQueue::Address queue;
  };
  for (const Link& link : links_) {
    const TargetAddress mine{port_.target_of(*halos_, memory_.halo(0, 0)), link.queue->address()};
    engine_.upload(memory_.edge(0, link.side), &mine, sizeof mine);
  }
  swap_edges(engine_, memory_, neighbours, sizeof(TargetAddress));
  for (Link& link : links_) {
    TargetAddress theirs;
    engine_.download(&theirs, memory_.halo(0, link.side), sizeof theirs);
    link.lanes = theirs.lanes;
    link.queue->connect(theirs.queue);
  }
  clear_numbers(engine_, memory_, neighbours);  // No rank may put before the other end is ready.
}

template <class Done>
void HaloPuts::await(Done done) {
  std::uint32_t looks = 0;
  for (Spinner spinner(spins_); !done(); spinner.step())
    if (++looks % kPollsPerStop == 0) engine_.stop_if_cancelled();
}

PutTarget HaloPuts::target(const Link& link, int turn) const {
  return {link.lanes.address + memory_.lane_offset(turn, opposite(link.side)), link.lanes.key};
}

void HaloPuts::write(int turn) {
  ++number_;
  for (Link& link : links_) {
    const PutTarget to = target(link, turn);
    link.queue->write(to, memory_.edge(turn, link.side), *edges_, link.bytes, false);
    link.ticket = link.queue->write_word({to.address + memory_.number_offset(), to.key}, number_, true);
  }
}

void HaloPuts::ring() {
  for (const Link& link : links_) link.queue->ring(link.ticket);
}

void HaloPuts::await_completion() {
  for (const Link& link : links_)
    await([&] {
      link.queue->poll();
      return link.queue->has_completed(link.ticket);
    });
}

void HaloPuts::put(int turn) {
  write(turn);
  ring();
  await_completion();
}

void HaloPuts::await_halos(int turn) {
  for (const Link& link : links_) {
    await([&] {
      port_.progress();
      // A neighbour may be one exchange ahead, but that one uses the other lanes.
      return number_at(memory_.halo(turn, link.side) + memory_.number_offset())
                 .load(std::memory_order_acquire) == number_;
    });
  }
  count_received();
}

void HaloPuts::describe(int turn, ExchangeLink* links) const {
  for (const Link& link : links_) {
    const PutTarget to = target(link, turn);
    links->lane = to.address;
    links->lane_key = to.key;
    links->edge_key = port_.local_key(*edges_);
    links->queue = link.queue->lane();
    ++links;
  }
}

void HaloPuts::adopt(const PutCounters& each) {
  for (const Link& link : links_) {
    link.queue->adopt(each);
    if (each.entries == 0) continue;
    port_.count_sent(link.bytes);
    port_.count_sent(sizeof number_);
  }
}

void HaloPuts::count_received() {
  for (const Link& link : links_) port_.count_received(link.bytes + sizeof number_);
}

}  // namespace collbench::stencil
