#include "engines/cpu/channel.h"

#include <algorithm>
#include <cstring>

#include "engines/cpu/channel_parts.h"

namespace collbench::cpu {

CpuChannel::CpuChannel(Bootstrap& bootstrap, Transport& transport, const Tuning& tuning,
                       const std::function<bool()>& cancelled)
    : rank_(bootstrap.rank()),
      ranks_(bootstrap.size()),
      transport_(transport),
      tuning_(tuning),
      cancelled_(cancelled),
      peers_(static_cast<std::size_t>(ranks_)),
      connected_(ranks_ <= kFullMeshRanks ? PeerSet::kAll : PeerSet::kRing),
      runner_(peers_, tuning_.longest_message, tuning_.spins, cancelled_) {
  const ExchangeBlobs exchange = [&](const std::string& mine) {
    return bootstrap.all_gather("connect handles", mine);
  };
  connect_peers(peers_, rank_, std::nullopt, connected_, transport_, exchange, cancelled_);
}

void CpuChannel::use(Protocol protocol) {
  if (protocol == used_) return;
  for (PeerConnections& peer : peers_)
    if (peer.send != nullptr) peer.send->carry_flags(protocol == Protocol::kLl);
  used_ = protocol;
}

void CpuChannel::connect(PeerSet peer_set) {
  if (peer_set <= connected_) return;
  use(Protocol::kSimple);  // New connections begin with this protocol.
  connect_peers(
      peers_, rank_, connected_, peer_set, transport_,
      [this](const std::string& mine) { return gather_round_the_ring(mine); }, cancelled_);
  connected_ = peer_set;
}

void CpuChannel::run(const AlgorithmRow& row, const CollectiveCall& call) {
  if (&row != prepared_row_ || !(call == prepared_)) {
    prepared_row_ = nullptr;
    if (!run(row, call.operation, buffers_of(call))) return;
    prepared_ = call;
    prepared_row_ = &row;
  } else {
    runner_.run();
  }
}

/// Uses the connections between ranks instead of the bootstrap. The bootstrap's messages pass through the
/// controller, which would become slow with the ranks of many hosts.
std::vector<std::string> CpuChannel::gather_round_the_ring(const std::string& mine) {
  prepared_row_ = nullptr;
  RegisteredMemory send(peers_), recv(peers_);
  send.reserve(mine.size());
  recv.reserve(mine.size() * peers_.size());
  std::memcpy(send.data(), mine.data(), mine.size());
  Operation operation;
  operation.kind = CollectiveKind::kAllgather;
  operation.dtype = DataType::kUint8;
  operation.count = mine.size();
  run(row_of(Algorithm::kRing), operation,
      {.send = send.data(), .recv = recv.data(), .send_memory = &send, .recv_memory = &recv});
  std::vector<std::string> all;
  for (std::size_t p = 0; p < peers_.size(); ++p)
    all.emplace_back(reinterpret_cast<const char*>(recv.data()) + p * mine.size(), mine.size());
  return all;
}

RegisteredMemory& CpuChannel::buffer_of(const void* at, std::size_t bytes, const char* which) {
  for (RegisteredMemory& buffer : buffers_)
    if (buffer.contains(at, bytes)) return buffer;
  throw Error(ErrorCode::kInvalidArgument, std::string("the ") + which + " buffer of " +
                                               std::to_string(bytes) +
                                               " bytes does not lie in memory from Engine::buffer(), which "
                                               "alone is known to the transport");
}

CallBuffers CpuChannel::buffers_of(const CollectiveCall& call) {
  const std::size_t element = size_of(call.operation.dtype);
  const BufferShape shape = shape_of(call.operation, rank_, ranks_);
  CallBuffers buffers;
  if (shape.send_elements > 0) {
    buffers.send_memory = &buffer_of(call.send, shape.send_elements * element, "send");
    buffers.send = static_cast<const std::byte*>(call.send);
  }
  if (shape.recv_elements > 0) {
    buffers.recv_memory = &buffer_of(call.recv, shape.recv_elements * element, "receive");
    buffers.recv = static_cast<std::byte*>(call.recv);
  }
  return buffers;
}

/// Runs an operation with this algorithm until it is complete on this rank. A long vector is processed in
/// pieces (AlgorithmRow::piece_bytes). Returns true if it was run in one piece, so that the runner can repeat
/// it.
bool CpuChannel::run(const AlgorithmRow& row, const Operation& operation, CallBuffers buffers) {
  Operation piece = operation;
  const std::size_t element = size_of(piece.dtype);
  const std::size_t piece_bytes = std::min(row.piece_bytes, tuning_.largest_piece);
  // Parts of ranks lie `count` elements apart, so a plan for fewer elements would misplace them. Between two
  // ranks, the pieces of a broadcast are not passed on.
  const bool is_one_message =
      ranks_ == 2 && row.algorithm == Algorithm::kBinomial && piece.kind == CollectiveKind::kBroadcast;
  const bool cuts = piece_bytes > 0 && is_splittable(piece.kind) && !is_one_message;
  const std::size_t most = cuts ? std::max<std::size_t>(1, piece_bytes / element) : piece.count;
  for (std::size_t first = 0; first < operation.count; first += most) {
    piece.count = std::min(most, operation.count - first);
    if (scheduled_row_ != &row || !(scheduled_ == piece)) {
      schedule_.clear();
      row.plan(piece, rank_, ranks_, tuning_.chunks, schedule_);
      scheduled_ = piece;
      scheduled_row_ = &row;
    }
    runner_.prepare(schedule_, piece, buffers);
    runner_.run();
    if (buffers.send != nullptr) buffers.send += piece.count * element;
    if (buffers.recv != nullptr) buffers.recv += piece.count * element;
  }
  return piece.count == operation.count;
}

void CpuChannel::transfer(std::span<const PeerMessage> messages) {
  prepared_row_ = nullptr;
  runner_.transfer(messages, [this](const PeerMessage& message) {
    if (message.bytes == 0) return static_cast<MemoryRegion*>(nullptr);
    const bool sends = message.direction == PeerMessage::Direction::kSend;
    RegisteredMemory& buffer = buffer_of(message.data, message.bytes, sends ? "send" : "receive");
    return sends ? buffer.to(message.peer) : buffer.from(message.peer);
  });
}

}  // namespace collbench::cpu
