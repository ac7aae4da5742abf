#include "engines/nccl/fake/links.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

/// Interval in ms at which waits check whether they must be aborted.
constexpr int kLookMs = 5;

const sockaddr* generic(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }

/// Sends or receives all bytes of a short message. @param sending true: sends; false: receives
ExchangeResult whole(int fd, void* data, std::size_t bytes, bool sending, const std::atomic<bool>& aborted) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t moved =
        sending ? send(fd, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, bytes, MSG_DONTWAIT);
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR)) return ExchangeResult::kPeerLost;
    if (moved > 0) {
      at += moved;
      bytes -= static_cast<std::size_t>(moved);
      continue;
    }
    pollfd entry{fd, static_cast<short>(sending ? POLLOUT : POLLIN), 0};
    poll(&entry, 1, kLookMs);
    if (aborted) return ExchangeResult::kAborted;
  }
  return ExchangeResult::kDone;
}

/// Finds the address of the interface in NCCL_SOCKET_IFNAME (`wanted`). As in NCCL, it is a prefix of names,
/// or "=" and a whole name; lists and exclusions are not supported.
/// @returns false if no such interface has an IPv4 address
bool find_interface(const std::string& wanted, sockaddr_in& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const std::string name = one->ifa_name;
    found = wanted.starts_with('=') ? wanted.substr(1) == name : name.starts_with(wanted);
    if (found) address = *reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
  }
  freeifaddrs(all);
  return found;
}

/// Connects to a listening socket. Waits up to a minute for a free port of this machine: many tests in a
/// short time use all, and the kernel keeps the port of an ended connection so long. A rank that gave up
/// would keep the others waiting, as in NCCL.
/// @returns the file descriptor; -1 if nobody listens there
int connect_to(const sockaddr_in& address) {
  constexpr int kAttempts = 60'000 / kLookMs;
  for (int attempt = 1;; ++attempt) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd, generic(address), sizeof address) == 0) return fd;
    const bool has_port = errno != EADDRNOTAVAIL;
    close(fd);
    if (has_port || attempt == kAttempts) return -1;
    poll(nullptr, 0, kLookMs);
  }
}

/// Accepted connections, each of which sends a Value first. All are read at the same time: a stranger that
/// connects and sends nothing does not keep ranks waiting.
template <class Value>
class Arrivals {
 public:
  Arrivals() = default;
  ~Arrivals() {
    for (const Arrival& one : waiting_) close(one.fd);
  }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// Waits for a connection whose value is complete, at most `wait_ms`; -1 = without limit.
  /// @param can_accept set to false if the socket accepts no more connections
  /// @returns the value and the connection; nothing if none is complete yet
  std::optional<std::pair<Value, int>> next(const ListeningSocket& listener, int wait_ms, bool& can_accept) {
    std::vector<pollfd> entries{{listener.fd(), POLLIN, 0}};
    for (const Arrival& one : waiting_) entries.push_back({one.fd, POLLIN, 0});
    if (poll(entries.data(), static_cast<nfds_t>(entries.size()), wait_ms) <= 0) return std::nullopt;
    if (entries.front().revents != 0) can_accept = accept_one(listener);
    for (std::size_t at = 0; at < waiting_.size(); ++at) {
      Arrival& one = waiting_[at];
      const ssize_t got = recv(one.fd, one.bytes.data() + one.done, sizeof(Value) - one.done, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      const Arrival ended = one;
      one.done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
      if (got > 0 && one.done < sizeof(Value)) continue;
      const bool is_whole = one.done == sizeof(Value);
      const auto bytes = one.bytes;
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
      if (is_whole) return std::pair(std::bit_cast<Value>(bytes), ended.fd);
      close(ended.fd);
      --at;
    }
    return std::nullopt;
  }

 private:
  struct Arrival {
    int fd = -1;
    std::size_t done = 0;
    std::array<std::byte, sizeof(Value)> bytes{};
  };

  bool accept_one(const ListeningSocket& listener) {
    const int fd = accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC), on = 1;
    // The caller may have left already. Without free descriptors no connection can be accepted.
    if (fd < 0) return errno == EINTR || errno == EAGAIN || errno == ECONNABORTED;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    waiting_.push_back({fd, 0, {}});
    return true;
  }

  std::vector<Arrival> waiting_;
};

/// Serves one communicator at the root: collects the identities of all ranks, then sends all identities to
/// each rank. If one rank does not fit the others, all get an error.
void serve(const ListeningSocket& listener) {
  const std::atomic<bool> never{false};
  std::vector<std::pair<RankIdentity, int>> callers;
  Arrivals<RankIdentity> arrivals;
  bool can_accept = true;
  while (can_accept && (callers.empty() || callers.size() < static_cast<std::size_t>(callers[0].first.ranks)))
    if (auto caller = arrivals.next(listener, -1, can_accept)) callers.push_back(*caller);
  std::sort(callers.begin(), callers.end(),
            [](const auto& a, const auto& b) { return a.first.rank < b.first.rank; });
  std::vector<RankIdentity> all;
  bool fits = true;
  for (const auto& [identity, fd] : callers) {
    fits = fits && identity.rank == static_cast<int>(all.size()) && identity.ranks == callers[0].first.ranks;
    all.push_back(identity);
  }
  for (const auto& [identity, fd] : callers) {
    if (fits) whole(fd, all.data(), all.size() * sizeof(RankIdentity), true, never);
    close(fd);
  }
}

struct Header {
  std::uint64_t tag = 0, bytes = 0;
};

/// Pieces that are being moved with one peer in one direction. The first piece is in progress: its header,
/// then its data.
struct PeerStream {
  std::vector<TransferPiece> pieces{};
  std::size_t front = 0;
  Header header{};
  std::size_t done = 0;  // Bytes of header and data transferred so far.

  [[nodiscard]] bool empty() const { return front == pieces.size(); }
};

enum class Step { kMoved, kBlocked, kLost, kMismatch };

Step step(int fd, PeerStream& lane, bool sending) {
  const TransferPiece& piece = lane.pieces[lane.front];
  if (sending) lane.header = {piece.tag, piece.bytes};
  const bool in_header = lane.done < sizeof(Header);
  std::byte* at = in_header ? reinterpret_cast<std::byte*>(&lane.header) + lane.done
                            : static_cast<std::byte*>(piece.data) + (lane.done - sizeof(Header));
  const std::size_t left = (in_header ? 0 : piece.bytes) + sizeof(Header) - lane.done;
  const ssize_t moved =
      sending ? send(fd, at, left, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, left, MSG_DONTWAIT);
  if (moved < 0 && (errno == EAGAIN || errno == EINTR)) return Step::kBlocked;
  if (moved <= 0) return Step::kLost;
  lane.done += static_cast<std::size_t>(moved);
  if (lane.done < sizeof(Header)) return Step::kMoved;
  if (lane.header.tag != piece.tag || lane.header.bytes != piece.bytes) return Step::kMismatch;
  if (lane.done == sizeof(Header) + piece.bytes) {
    ++lane.front;
    lane.done = 0;
  }
  return Step::kMoved;
}

}  // namespace

ListeningSocket::ListeningSocket(sockaddr_in& address) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  socklen_t length = sizeof address;
  address.sin_port = 0;
  // Ports of ended connections are free for it, too.
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd_ < 0 || (bind(fd_, generic(address), sizeof address) == 0 && listen(fd_, 4096) == 0 &&
                  getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length) == 0))
    return;
  close(fd_);
  fd_ = -1;
}

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) close(fd_);
}

std::string open_root() {
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  sockaddr_in address{};
  if (!find_interface(wanted.empty() ? "=lo" : wanted, address)) return "";
  ListeningSocket listener(address);
  if (!listener.open()) return "";
  std::thread(serve, std::move(listener)).detach();
  char host[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
  return std::string(host) + ":" + std::to_string(ntohs(address.sin_port));
}

Mesh::~Mesh() {
  for (const Links& links : links_)
    for (const int fd : links)
      if (fd >= 0) close(fd);
}

void Mesh::shut() {
  for (const Links& links : links_)
    for (const int fd : links)
      if (fd >= 0) shutdown(fd, SHUT_RDWR);
}

ExchangeResult Mesh::meet(const std::string& root, RankIdentity mine, const std::atomic<bool>& aborted) {
  const auto colon = std::min(root.find(':'), root.size());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(root.c_str() + colon + 1)));
  inet_pton(AF_INET, root.substr(0, colon).c_str(), &address.sin_addr);
  const int fd = connect_to(address);
  if (fd < 0) return ExchangeResult::kPeerLost;
  // Without a requested interface, the own address on the route to the root is used.
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  socklen_t length = sizeof mine.listener;
  const bool known = wanted.empty()
                         ? getsockname(fd, reinterpret_cast<sockaddr*>(&mine.listener), &length) == 0
                         : find_interface(wanted, mine.listener);
  ListeningSocket listener;
  if (known) listener = ListeningSocket(mine.listener);
  std::vector<RankIdentity> all(static_cast<std::size_t>(mine.ranks));
  ExchangeResult met =
      !listener.open() ? ExchangeResult::kMismatch : whole(fd, &mine, sizeof mine, true, aborted);
  if (met == ExchangeResult::kDone)
    met = whole(fd, all.data(), all.size() * sizeof(RankIdentity), false, aborted);
  close(fd);
  return met == ExchangeResult::kDone ? connect(mine.rank, std::move(all), std::move(listener), aborted)
                                      : met;
}

bool Mesh::add(const Caller& caller, int fd) {
  const bool fits = caller.rank > rank_ && caller.rank < static_cast<int>(identities_.size()) &&
                    caller.channel >= 0 && caller.channel < static_cast<int>(std::size(links_)) &&
                    links_[caller.channel][static_cast<std::size_t>(caller.rank)] < 0;
  if (fits)
    links_[caller.channel][static_cast<std::size_t>(caller.rank)] = fd;
  else
    close(fd);
  return fits;
}

ExchangeResult Mesh::connect(int rank, std::vector<RankIdentity> identities, ListeningSocket listener,
                             const std::atomic<bool>& aborted) {
  rank_ = rank;
  identities_ = std::move(identities);
  for (Links& links : links_) links.assign(identities_.size(), -1);
  ExchangeResult result = ExchangeResult::kDone;
  for (int i = 0; i < 2 * rank && result == ExchangeResult::kDone; ++i) {
    const auto peer = static_cast<std::size_t>(i / 2);
    Caller mine{rank, i % 2};
    const int fd = links_[mine.channel][peer] = connect_to(identities_[peer].listener);
    result = whole(fd, &mine, sizeof mine, true, aborted);
  }
  Arrivals<Caller> arrivals;
  bool can_accept = true;
  for (std::size_t left = 2 * (identities_.size() - 1 - static_cast<std::size_t>(rank));
       left > 0 && result == ExchangeResult::kDone;) {
    if (const auto caller = arrivals.next(listener, kLookMs, can_accept))
      left -= add(caller->first, caller->second) ? 1 : 0;
    if (!can_accept) result = ExchangeResult::kPeerLost;
    if (aborted) result = ExchangeResult::kAborted;
  }
  return result;
}

ExchangeResult Mesh::exchange(const std::vector<TransferPiece>& sends,
                              const std::vector<TransferPiece>& recvs, const std::atomic<bool>& aborted,
                              std::string& problem) {
  return move(links_[0], sends, recvs, aborted, problem);
}

ExchangeResult Mesh::gather(const void* mine, std::size_t bytes, void* all,
                            const std::atomic<bool>& aborted) {
  std::vector<TransferPiece> sends, recvs;
  for (int peer = 0; peer < static_cast<int>(identities_.size()); ++peer) {
    sends.push_back({peer, const_cast<void*>(mine), bytes, 0});
    recvs.push_back({peer, static_cast<std::byte*>(all) + bytes * static_cast<std::size_t>(peer), bytes, 0});
  }
  std::string problem;
  return move(links_[1], sends, recvs, aborted, problem);
}

/// Moves all pieces over the connections `links`. All connections are served at the same time, so that one
/// which cannot continue does not block the others.
ExchangeResult Mesh::move(const Links& links, const std::vector<TransferPiece>& sends,
                          const std::vector<TransferPiece>& recvs, const std::atomic<bool>& aborted,
                          std::string& problem) const {
  std::vector<PeerStream> lanes[2];  // Outgoing and incoming.
  for (auto& side : lanes) side.resize(links.size());
  for (const TransferPiece& piece : sends)
    lanes[0][static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  for (const TransferPiece& piece : recvs)
    lanes[1][static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  PeerStream& own_out = lanes[0][static_cast<std::size_t>(rank_)];
  PeerStream& own_in = lanes[1][static_cast<std::size_t>(rank_)];
  for (; !own_out.empty() && !own_in.empty(); ++own_out.front, ++own_in.front) {
    const TransferPiece &from = own_out.pieces[own_out.front], &to = own_in.pieces[own_in.front];
    if (from.bytes != to.bytes) break;
    if (from.bytes > 0) std::memmove(to.data, from.data, from.bytes);
  }
  if (!own_out.empty() || !own_in.empty()) {
    problem = "a send to the own rank has no receive of the same length";
    return ExchangeResult::kMismatch;
  }
  for (;;) {
    bool moved = false;
    std::vector<pollfd> waiting;
    for (std::size_t i = 0; i < 2 * links.size(); ++i) {
      const std::size_t peer = i / 2;
      const bool sending = i % 2 == 0;
      PeerStream& lane = lanes[sending ? 0 : 1][peer];
      if (lane.empty()) continue;
      const Step done = step(links[peer], lane, sending);
      if (done == Step::kLost) {
        problem = "rank " + std::to_string(peer) + " closed its connection";
        return aborted ? ExchangeResult::kAborted : ExchangeResult::kPeerLost;
      }
      if (done == Step::kMismatch) {
        problem = "rank " + std::to_string(peer) + " is in another operation";
        return ExchangeResult::kMismatch;
      }
      moved = moved || done == Step::kMoved;
      if (!lane.empty()) waiting.push_back({links[peer], static_cast<short>(sending ? POLLOUT : POLLIN), 0});
    }
    if (waiting.empty()) return ExchangeResult::kDone;
    if (aborted) return ExchangeResult::kAborted;
    if (!moved) poll(waiting.data(), static_cast<nfds_t>(waiting.size()), kLookMs);
  }
}

}  // namespace collbench::nccl_fake
