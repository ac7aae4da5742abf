#include "engines/cpu/direct.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "engines/cpu/kernels.h"

namespace collbench::cpu {

// Scratch: for each rank, what goes to it, then what comes from it. The own entry of the second half is the
// own data.
Direct::Direct(std::vector<Peer>& peers, int rank, std::size_t piece_bytes, std::uint32_t spins,
               const std::function<bool()>& cancelled)
    : rank_(rank),
      ranks_(static_cast<int>(peers.size())),
      piece_bytes_(piece_bytes),
      spins_(spins),
      cancelled_(cancelled),
      scratch_(2 * peers.size() * piece_bytes),
      lanes_(peers.size()) {
  for (std::size_t p = 0; p < peers.size(); ++p) {
    Lane& lane = lanes_[p];
    lane.outgoing = scratch_.data() + p * piece_bytes;
    lane.incoming = scratch_.data() + (peers.size() + p) * piece_bytes;
    if (static_cast<int>(p) == rank) continue;
    lane.send = peers[p].send.get();
    lane.recv = peers[p].recv.get();
    lane.send_region = lane.send->register_memory(scratch_.data(), scratch_.size(), MemoryKind::kHost);
    lane.recv_region = lane.recv->register_memory(scratch_.data(), scratch_.size(), MemoryKind::kHost);
  }
}

Direct::~Direct() {
  for (Lane& lane : lanes_) {
    if (lane.send_region != nullptr) lane.send->deregister_memory(lane.send_region);
    if (lane.recv_region != nullptr) lane.recv->deregister_memory(lane.recv_region);
  }
}

bool Direct::knows(CollectiveKind kind) noexcept {
  using enum CollectiveKind;
  switch (kind) {
    case kAllreduce:
    case kAllgather:
    case kReducescatter:
    case kBroadcast:
    case kReduce:
      return true;
    case kAlltoall:
    case kGather:
    case kScatter:
    case kSendrecv:
    case kHypercube:
    case kAlltoallv:
      break;
  }
  return false;
}

/// One look at a peer; true when something moved on.
bool Direct::drive(Lane& lane, std::size_t bytes) {
  bool moved = false;
  if (lane.send_due) {
    if (lane.sent == nullptr) lane.sent = lane.send->isend(lane.outgoing, bytes, 0, lane.send_region);
    if (lane.sent != nullptr && lane.send->test(lane.sent)) {
      lane.sent = nullptr;
      lane.send_due = false;
      moved = true;
    }
  }
  if (lane.recv_due) {
    if (lane.awaited == nullptr) {
      const ReceiveBuffer buffer{lane.incoming, bytes, 0, lane.recv_region};
      lane.awaited = lane.recv->irecv({&buffer, 1});
    }
    std::size_t got = 0;
    if (lane.awaited != nullptr && lane.recv->test(lane.awaited, &got)) {
      if (got != bytes)
        throw Error(ErrorCode::kProtocol,
                    "direct: " + std::to_string(got) + " bytes came where " + std::to_string(bytes) +
                        " were due: the transport cut the message, or the ranks run different operations");
      lane.awaited = nullptr;
      lane.recv_due = false;
      moved = true;
    }
  }
  return moved;
}

void Direct::exchange(std::size_t bytes) {
  Waiting waiting(spins_, cancelled_);
  for (;;) {
    bool due = false;
    for (Lane& lane : lanes_) {
      if (!lane.send_due && !lane.recv_due) continue;
      drive(lane, bytes);
      due |= lane.send_due || lane.recv_due;
    }
    if (!due) return;
    waiting.step([this](std::vector<pollfd>& set) {
      for (const Lane& lane : lanes_) {
        if (lane.send_due) lane.send->add_to_poll(set);
        if (lane.recv_due) lane.recv->add_to_poll(set);
      }
    });
  }
}

void Direct::run_piece(const Operation& operation, const std::byte* send, std::byte* recv, std::size_t first,
                       std::size_t count) {
  static const Kernels& kernels = cpu::kernels(best_isa());
  const std::size_t element = size_of(operation.dtype);
  const std::size_t bytes = count * element;
  const std::size_t at = first * element;
  const std::size_t part = operation.count * element;
  const bool combines = reduces(operation.kind);
  const bool rooted =
      operation.kind == CollectiveKind::kBroadcast || operation.kind == CollectiveKind::kReduce;
  const bool is_root = rank_ == operation.root;
  const bool gives = operation.kind != CollectiveKind::kBroadcast || is_root;
  const bool takes = operation.kind != CollectiveKind::kReduce || is_root;
  const bool scatters = operation.kind == CollectiveKind::kReducescatter;
  for (int p = 0; p < ranks_; ++p) {
    Lane& lane = lanes_[static_cast<std::size_t>(p)];
    const std::byte* mine = send + (scatters ? static_cast<std::size_t>(p) * part : 0) + at;
    if (p == rank_) {
      if (gives && takes) std::memcpy(lane.incoming, mine, bytes);
      continue;
    }
    lane.send_due = gives && !(operation.kind == CollectiveKind::kReduce && p != operation.root) &&
                    !(operation.kind == CollectiveKind::kReduce && is_root);
    lane.recv_due = takes && !(operation.kind == CollectiveKind::kBroadcast && p != operation.root) &&
                    !(operation.kind == CollectiveKind::kBroadcast && is_root);
    if (lane.send_due) std::memcpy(lane.outgoing, mine, bytes);
  }
  exchange(bytes);
  if (!takes) return;
  if (!combines) {
    for (int p = 0; p < ranks_; ++p) {
      if (rooted && p != operation.root) continue;
      std::byte* out = recv + (rooted ? 0 : static_cast<std::size_t>(p) * part) + at;
      std::memcpy(out, lanes_[static_cast<std::size_t>(p)].incoming, bytes);
    }
    return;
  }
  const auto type = static_cast<int>(operation.dtype);
  const Combine combine = kernels.combine[type][static_cast<int>(operation.op)];
  std::byte* out = recv + at;
  combine(out, lanes_[0].incoming, lanes_[1].incoming, count);
  for (std::size_t p = 2; p < lanes_.size(); ++p) combine(out, out, lanes_[p].incoming, count);
  if (operation.op == ReduceOp::kAvg) kernels.divide[type](out, count, ranks_);
}

void Direct::run(const Operation& operation, const std::byte* send, std::byte* recv) {
  const std::size_t most = std::max<std::size_t>(1, piece_bytes_ / size_of(operation.dtype));
  for (std::size_t first = 0; first < operation.count; first += most)
    run_piece(operation, send, recv, first, std::min(most, operation.count - first));
}

}  // namespace collbench::cpu
