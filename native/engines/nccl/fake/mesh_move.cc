// Moving pieces over all connections at once, so that no order of sends and receives can block another.
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <deque>

#include "engines/nccl/fake/mesh.h"

namespace collbench::nccl_fake {
namespace {

constexpr int kPollMs = 5;

struct Header {
  std::uint64_t tag = 0, bytes = 0;
};

/// What is under way with one peer in one direction: the front piece's header, then its data.
struct Lane {
  std::deque<Piece> pieces;
  Header header;
  std::size_t done = 0;  // bytes of header and data
};

enum class Step { kMoved, kBlocked, kLost, kMismatch };

Step after_call(ssize_t moved, Lane& lane) {
  if (moved < 0)
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Step::kBlocked : Step::kLost;
  lane.done += static_cast<std::size_t>(moved);
  if (lane.done == sizeof(Header) + lane.pieces.front().bytes) {
    lane.pieces.pop_front();
    lane.done = 0;
  }
  return Step::kMoved;
}

std::byte* data_at(const Lane& lane) {
  return static_cast<std::byte*>(lane.pieces.front().data) + (lane.done - sizeof(Header));
}
std::size_t data_left(const Lane& lane) { return sizeof(Header) + lane.pieces.front().bytes - lane.done; }

Step send_some(int fd, Lane& lane) {
  if (lane.done == 0) lane.header = {lane.pieces.front().tag, lane.pieces.front().bytes};
  if (lane.done < sizeof(Header))
    return after_call(send(fd, reinterpret_cast<const std::byte*>(&lane.header) + lane.done,
                           sizeof(Header) - lane.done, MSG_NOSIGNAL),
                      lane);
  return after_call(send(fd, data_at(lane), data_left(lane), MSG_NOSIGNAL), lane);
}

Step receive_some(int fd, Lane& lane) {
  if (lane.done >= sizeof(Header)) {
    const ssize_t got = recv(fd, data_at(lane), data_left(lane), 0);
    return got == 0 ? Step::kLost : after_call(got, lane);
  }
  const ssize_t got =
      recv(fd, reinterpret_cast<std::byte*>(&lane.header) + lane.done, sizeof(Header) - lane.done, 0);
  if (got == 0) return Step::kLost;
  if (got > 0 && lane.done + static_cast<std::size_t>(got) == sizeof(Header) &&
      (lane.header.tag != lane.pieces.front().tag || lane.header.bytes != lane.pieces.front().bytes))
    return Step::kMismatch;
  return after_call(got, lane);
}

std::string mismatch(int peer, const Lane& lane) {
  return "rank " + std::to_string(peer) + " is in another operation: " + std::to_string(lane.header.bytes) +
         " bytes where " + std::to_string(lane.pieces.front().bytes) + " were expected";
}

/// Copies what goes to the own rank, in order; the pieces are taken out.
bool copy_own(std::deque<Piece>& sends, std::deque<Piece>& recvs) {
  for (; !sends.empty() && !recvs.empty(); sends.pop_front(), recvs.pop_front()) {
    if (sends.front().bytes != recvs.front().bytes) return false;
    if (sends.front().bytes > 0) std::memmove(recvs.front().data, sends.front().data, sends.front().bytes);
  }
  return sends.empty() && recvs.empty();
}

}  // namespace

Exchanged Mesh::move(const Links& links, std::vector<Piece>& sends, std::vector<Piece>& recvs,
                     const std::atomic<bool>& aborted, std::string& problem) {
  const std::size_t ranks = links.fds.size();
  std::vector<Lane> out(ranks), in(ranks);
  for (Piece& piece : sends) out[static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  for (Piece& piece : recvs) in[static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  const auto own = static_cast<std::size_t>(mine_.rank);
  if (!copy_own(out[own].pieces, in[own].pieces)) {
    problem = "a send to the own rank has no receive of the same length";
    return Exchanged::kMismatch;
  }
  for (;;) {
    bool moved = false;
    std::vector<pollfd> waiting;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      const int fd = links.fds[peer];
      short events = 0;
      for (const bool sending : {true, false}) {
        Lane& lane = sending ? out[peer] : in[peer];
        if (lane.pieces.empty()) continue;
        const Step step = sending ? send_some(fd, lane) : receive_some(fd, lane);
        if (step == Step::kLost) {
          problem = "rank " + std::to_string(peer) + " closed its connection";
          return aborted ? Exchanged::kAborted : Exchanged::kPeerLost;
        }
        if (step == Step::kMismatch) {
          problem = mismatch(static_cast<int>(peer), lane);
          return Exchanged::kMismatch;
        }
        moved = moved || step == Step::kMoved;
        if (!lane.pieces.empty()) events = static_cast<short>(events | (sending ? POLLOUT : POLLIN));
      }
      if (events != 0) waiting.push_back({fd, events, 0});
    }
    if (waiting.empty()) return Exchanged::kDone;
    if (aborted) return Exchanged::kAborted;
    if (!moved) poll(waiting.data(), static_cast<nfds_t>(waiting.size()), kPollMs);
  }
}

}  // namespace collbench::nccl_fake
