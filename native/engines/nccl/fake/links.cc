#include "engines/nccl/fake/links.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

/// How often a wait looks whether it was aborted.
constexpr int kLookMs = 5;

const sockaddr* generic(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }

/// All of a small message, in one direction.
Exchanged whole(int fd, void* data, std::size_t bytes, bool sending, const std::atomic<bool>& aborted) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t moved =
        sending ? send(fd, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, bytes, MSG_DONTWAIT);
    if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR)) return Exchanged::kPeerLost;
    if (moved > 0) {
      at += moved;
      bytes -= static_cast<std::size_t>(moved);
      continue;
    }
    pollfd entry{fd, static_cast<short>(sending ? POLLOUT : POLLIN), 0};
    poll(&entry, 1, kLookMs);
    if (aborted) return Exchanged::kAborted;
  }
  return Exchanged::kDone;
}

/// As NCCL reads NCCL_SOCKET_IFNAME: a beginning of names, "=" before a whole one. Lists and exclusions are
/// not known here. @return false when there is no such interface with an IPv4 address
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

/// @return -1 = nobody listens there
int connect_to(const sockaddr_in& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, generic(address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

/// Tells each rank where all are, once all have come. One that does not fit ends it for all.
void serve(const Door& door) {
  const std::atomic<bool> never{false};
  std::vector<std::pair<Hello, int>> callers;
  while (callers.empty() || callers.size() < static_cast<std::size_t>(callers[0].first.ranks)) {
    const int fd = accept4(door.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) break;
    Hello hello;
    if (whole(fd, &hello, sizeof hello, false, never) == Exchanged::kDone)
      callers.emplace_back(hello, fd);
    else
      close(fd);
  }
  std::sort(callers.begin(), callers.end(),
            [](const auto& a, const auto& b) { return a.first.rank < b.first.rank; });
  std::vector<Hello> all;
  bool fits = true;
  for (const auto& [hello, fd] : callers) {
    fits = fits && hello.rank == static_cast<int>(all.size()) && hello.ranks == callers[0].first.ranks;
    all.push_back(hello);
  }
  for (const auto& [hello, fd] : callers) {
    if (fits) whole(fd, all.data(), all.size() * sizeof(Hello), true, never);
    close(fd);
  }
}

/// First words of a rank on a connection to another.
struct Caller {
  int rank = 0, channel = 0;
};

struct Header {
  std::uint64_t tag = 0, bytes = 0;
};

/// What is under way with one peer in one direction: the front piece's header, then its data.
struct Lane {
  std::vector<Piece> pieces{};
  std::size_t front = 0;
  Header header{};
  std::size_t done = 0;  // bytes of header and data

  [[nodiscard]] bool empty() const { return front == pieces.size(); }
};

enum class Step { kMoved, kBlocked, kLost, kMismatch };

Step step(int fd, Lane& lane, bool sending) {
  const Piece& piece = lane.pieces[lane.front];
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

Door::Door(sockaddr_in& address) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  socklen_t length = sizeof address;
  address.sin_port = 0;
  if (fd_ < 0 || (bind(fd_, generic(address), sizeof address) == 0 && listen(fd_, 4096) == 0 &&
                  getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length) == 0))
    return;
  close(fd_);
  fd_ = -1;
}

Door::~Door() {
  if (fd_ >= 0) close(fd_);
}

std::string open_root() {
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  sockaddr_in address{};
  if (!find_interface(wanted.empty() ? "=lo" : wanted, address)) return "";
  Door door(address);
  if (!door.open()) return "";
  std::thread(serve, std::move(door)).detach();
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

Exchanged Mesh::meet(const std::string& root, Hello mine, const std::atomic<bool>& aborted) {
  const auto colon = std::min(root.find(':'), root.size());
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(root.c_str() + colon + 1)));
  inet_pton(AF_INET, root.substr(0, colon).c_str(), &address.sin_addr);
  const int fd = connect_to(address);
  if (fd < 0) return Exchanged::kPeerLost;
  // Without a wanted interface: the own address on the way to the root.
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  socklen_t length = sizeof mine.door;
  const bool known = wanted.empty() ? getsockname(fd, reinterpret_cast<sockaddr*>(&mine.door), &length) == 0
                                    : find_interface(wanted, mine.door);
  Door door;
  if (known) door = Door(mine.door);
  std::vector<Hello> all(static_cast<std::size_t>(mine.ranks));
  Exchanged met = !door.open() ? Exchanged::kMismatch : whole(fd, &mine, sizeof mine, true, aborted);
  if (met == Exchanged::kDone) met = whole(fd, all.data(), all.size() * sizeof(Hello), false, aborted);
  close(fd);
  return met == Exchanged::kDone ? connect(mine.rank, std::move(all), std::move(door), aborted) : met;
}

bool Mesh::answer(const Door& door, const std::atomic<bool>& aborted, Exchanged& result) {
  pollfd entry{door.fd(), POLLIN, 0};
  if (aborted) result = Exchanged::kAborted;
  if (poll(&entry, 1, kLookMs) <= 0) return false;
  const int fd = accept4(door.fd(), nullptr, nullptr, SOCK_CLOEXEC), on = 1;
  if (fd < 0) {
    // Who called may be gone again; without descriptors nobody can be answered.
    if (errno != EINTR && errno != EAGAIN && errno != ECONNABORTED) result = Exchanged::kPeerLost;
    return false;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Caller caller;
  result = whole(fd, &caller, sizeof caller, false, aborted);
  const bool fits = result == Exchanged::kDone && caller.rank > rank_ &&
                    caller.rank < static_cast<int>(hellos_.size()) && caller.channel >= 0 &&
                    caller.channel < static_cast<int>(std::size(links_)) &&
                    links_[caller.channel][static_cast<std::size_t>(caller.rank)] < 0;
  if (fits)
    links_[caller.channel][static_cast<std::size_t>(caller.rank)] = fd;
  else
    close(fd);
  return fits;
}

Exchanged Mesh::connect(int rank, std::vector<Hello> hellos, Door door, const std::atomic<bool>& aborted) {
  rank_ = rank;
  hellos_ = std::move(hellos);
  for (Links& links : links_) links.assign(hellos_.size(), -1);
  Exchanged result = Exchanged::kDone;
  for (int i = 0; i < 2 * rank && result == Exchanged::kDone; ++i) {
    const auto peer = static_cast<std::size_t>(i / 2);
    Caller mine{rank, i % 2};
    const int fd = links_[mine.channel][peer] = connect_to(hellos_[peer].door);
    result = whole(fd, &mine, sizeof mine, true, aborted);
  }
  for (std::size_t left = 2 * (hellos_.size() - 1 - static_cast<std::size_t>(rank));
       left > 0 && result == Exchanged::kDone;)
    left -= answer(door, aborted, result) ? 1 : 0;
  return result;
}

Exchanged Mesh::exchange(const std::vector<Piece>& sends, const std::vector<Piece>& recvs,
                         const std::atomic<bool>& aborted, std::string& problem) {
  return move(links_[0], sends, recvs, aborted, problem);
}

Exchanged Mesh::gather(const void* mine, std::size_t bytes, void* all, const std::atomic<bool>& aborted) {
  std::vector<Piece> sends, recvs;
  for (int peer = 0; peer < static_cast<int>(hellos_.size()); ++peer) {
    sends.push_back({peer, const_cast<void*>(mine), bytes, 0});
    recvs.push_back({peer, static_cast<std::byte*>(all) + bytes * static_cast<std::size_t>(peer), bytes, 0});
  }
  std::string problem;
  return move(links_[1], sends, recvs, aborted, problem);
}

/// Over all connections at once, so that no order of sends and receives can block another.
Exchanged Mesh::move(const Links& links, const std::vector<Piece>& sends, const std::vector<Piece>& recvs,
                     const std::atomic<bool>& aborted, std::string& problem) const {
  std::vector<Lane> lanes[2];  // out, in
  for (auto& side : lanes) side.resize(links.size());
  for (const Piece& piece : sends) lanes[0][static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  for (const Piece& piece : recvs) lanes[1][static_cast<std::size_t>(piece.peer)].pieces.push_back(piece);
  Lane& own_out = lanes[0][static_cast<std::size_t>(rank_)];
  Lane& own_in = lanes[1][static_cast<std::size_t>(rank_)];
  for (; !own_out.empty() && !own_in.empty(); ++own_out.front, ++own_in.front) {
    const Piece &from = own_out.pieces[own_out.front], &to = own_in.pieces[own_in.front];
    if (from.bytes != to.bytes) break;
    if (from.bytes > 0) std::memmove(to.data, from.data, from.bytes);
  }
  if (!own_out.empty() || !own_in.empty()) {
    problem = "a send to the own rank has no receive of the same length";
    return Exchanged::kMismatch;
  }
  for (;;) {
    bool moved = false;
    std::vector<pollfd> waiting;
    for (std::size_t i = 0; i < 2 * links.size(); ++i) {
      const std::size_t peer = i / 2;
      const bool sending = i % 2 == 0;
      Lane& lane = lanes[sending ? 0 : 1][peer];
      if (lane.empty()) continue;
      const Step done = step(links[peer], lane, sending);
      if (done == Step::kLost) {
        problem = "rank " + std::to_string(peer) + " closed its connection";
        return aborted ? Exchanged::kAborted : Exchanged::kPeerLost;
      }
      if (done == Step::kMismatch) {
        problem = "rank " + std::to_string(peer) + " is in another operation";
        return Exchanged::kMismatch;
      }
      moved = moved || done == Step::kMoved;
      if (!lane.empty()) waiting.push_back({links[peer], static_cast<short>(sending ? POLLOUT : POLLIN), 0});
    }
    if (waiting.empty()) return Exchanged::kDone;
    if (aborted) return Exchanged::kAborted;
    if (!moved) poll(waiting.data(), static_cast<nfds_t>(waiting.size()), kLookMs);
  }
}

}  // namespace collbench::nccl_fake
