#include "engines/cpu/direct.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "engines/cpu/kernels.h"

namespace collbench::cpu {

// Scratch memory holds for each rank the data to send to it, then the data received from it. The own entry of
// the second half is the own data.
DirectExecutor::DirectExecutor(std::vector<PeerConnections>& peers, int rank, std::size_t piece_bytes,
                               std::uint32_t spins, const std::function<bool()>& cancelled)
    : rank_(rank),
      ranks_(static_cast<int>(peers.size())),
      piece_bytes_(piece_bytes),
      spins_(spins),
      cancelled_(cancelled),
      scratch_(2 * peers.size() * piece_bytes),
      transfers_(peers.size()) {
  for (std::size_t p = 0; p < peers.size(); ++p) {
    PeerTransfer& transfer = transfers_[p];
    transfer.outgoing = scratch_.data() + p * piece_bytes;
    transfer.incoming = scratch_.data() + (peers.size() + p) * piece_bytes;
    if (static_cast<int>(p) == rank) continue;
    transfer.send = peers[p].send.get();
    transfer.recv = peers[p].recv.get();
    transfer.send_region =
        transfer.send->register_memory(scratch_.data(), scratch_.size(), MemoryKind::kHost);
    transfer.recv_region =
        transfer.recv->register_memory(scratch_.data(), scratch_.size(), MemoryKind::kHost);
  }
}

DirectExecutor::~DirectExecutor() {
  for (PeerTransfer& transfer : transfers_) {
    if (transfer.send_region != nullptr) transfer.send->deregister_memory(transfer.send_region);
    if (transfer.recv_region != nullptr) transfer.recv->deregister_memory(transfer.recv_region);
  }
}

bool DirectExecutor::supports(CollectiveKind kind) noexcept {
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

/// Continues the transfers with one peer without waiting. Returns true if one of them made progress.
bool DirectExecutor::drive(PeerTransfer& transfer, std::size_t bytes) {
  bool moved = false;
  if (transfer.send_due) {
    if (transfer.sent == nullptr)
      transfer.sent = transfer.send->isend(transfer.outgoing, bytes, 0, transfer.send_region);
    if (transfer.sent != nullptr && transfer.send->test(transfer.sent)) {
      transfer.sent = nullptr;
      transfer.send_due = false;
      moved = true;
    }
  }
  if (transfer.recv_due) {
    if (transfer.awaited == nullptr) {
      const ReceiveBuffer buffer{transfer.incoming, bytes, 0, transfer.recv_region};
      transfer.awaited = transfer.recv->irecv({&buffer, 1});
    }
    std::size_t got = 0;
    if (transfer.awaited != nullptr && transfer.recv->test(transfer.awaited, &got)) {
      if (got != bytes)
        throw Error(ErrorCode::kProtocol,
                    "direct: " + std::to_string(got) + " bytes came where " + std::to_string(bytes) +
                        " were due: the transport cut the message, or the ranks run different operations");
      transfer.awaited = nullptr;
      transfer.recv_due = false;
      moved = true;
    }
  }
  return moved;
}

void DirectExecutor::exchange(std::size_t bytes) {
  TransportWait waiting(spins_, cancelled_);
  for (;;) {
    bool due = false;
    for (PeerTransfer& transfer : transfers_) {
      if (!transfer.send_due && !transfer.recv_due) continue;
      drive(transfer, bytes);
      due |= transfer.send_due || transfer.recv_due;
    }
    if (!due) return;
    waiting.step([this](std::vector<pollfd>& set) {
      for (const PeerTransfer& transfer : transfers_) {
        if (transfer.send_due) transfer.send->add_to_poll(set);
        if (transfer.recv_due) transfer.recv->add_to_poll(set);
      }
    });
  }
}

void DirectExecutor::run_piece(const Operation& operation, const std::byte* send, std::byte* recv,
                               std::size_t first, std::size_t count) {
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
    PeerTransfer& transfer = transfers_[static_cast<std::size_t>(p)];
    const std::byte* mine = send + (scatters ? static_cast<std::size_t>(p) * part : 0) + at;
    if (p == rank_) {
      if (gives && takes) std::memcpy(transfer.incoming, mine, bytes);
      continue;
    }
    transfer.send_due = gives && !(operation.kind == CollectiveKind::kReduce && p != operation.root) &&
                        !(operation.kind == CollectiveKind::kReduce && is_root);
    transfer.recv_due = takes && !(operation.kind == CollectiveKind::kBroadcast && p != operation.root) &&
                        !(operation.kind == CollectiveKind::kBroadcast && is_root);
    if (transfer.send_due) std::memcpy(transfer.outgoing, mine, bytes);
  }
  exchange(bytes);
  if (!takes) return;
  if (!combines) {
    for (int p = 0; p < ranks_; ++p) {
      if (rooted && p != operation.root) continue;
      std::byte* out = recv + (rooted ? 0 : static_cast<std::size_t>(p) * part) + at;
      std::memcpy(out, transfers_[static_cast<std::size_t>(p)].incoming, bytes);
    }
    return;
  }
  const auto type = static_cast<int>(operation.dtype);
  const Combine combine = kernels.combine[type][static_cast<int>(operation.op)];
  std::byte* out = recv + at;
  combine(out, transfers_[0].incoming, transfers_[1].incoming, count);
  for (std::size_t p = 2; p < transfers_.size(); ++p) combine(out, out, transfers_[p].incoming, count);
  if (operation.op == ReduceOp::kAvg) kernels.divide[type](out, count, ranks_);
}

void DirectExecutor::run(const Operation& operation, const std::byte* send, std::byte* recv) {
  const std::size_t most = std::max<std::size_t>(1, piece_bytes_ / size_of(operation.dtype));
  for (std::size_t first = 0; first < operation.count; first += most)
    run_piece(operation, send, recv, first, std::min(most, operation.count - first));
}

}  // namespace collbench::cpu
