#include "workloads/stencil/neighbours.h"

#include <cstdint>
#include <vector>

namespace collbench::stencil {

void swap_edges(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours, std::size_t bytes) {
  std::vector<PeerMessage> messages;
  for (int side = 0; side < kSides; ++side) {
    const int peer = neighbours.ranks[static_cast<std::size_t>(side)];
    if (peer < 0) continue;
    messages.push_back({PeerMessage::Direction::kReceive, peer, memory.halo(0, side), bytes});
    messages.push_back({PeerMessage::Direction::kSend, peer, memory.edge(0, side), bytes});
  }
  if (!messages.empty()) engine.transfer(messages);
  engine.synchronize();
}

void clear_numbers(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours) {
  constexpr std::uint64_t kNone = 0;
  for (int turn = 0; turn < 2; ++turn)
    for (int side = 0; side < kSides; ++side)
      engine.upload(memory.halo(turn, side) + memory.number_offset(), &kNone, sizeof kNone);
  swap_edges(engine, memory, neighbours, sizeof kNone);
}

}  // namespace collbench::stencil
