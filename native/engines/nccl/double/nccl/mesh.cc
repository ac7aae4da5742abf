#include "engines/nccl/double/nccl/mesh.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace collbench::nccl_double {
namespace {

constexpr std::uint64_t kHelloMagic = 0x636f6c6c62656e63;
/// How often a wait looks whether it was aborted.
constexpr int kPollMs = 5;

sockaddr_un address_of(const std::string& name, int rank, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = "collbench-nccl-double-" + name + "-" + std::to_string(rank);
  std::memcpy(address.sun_path + 1, text.data(), text.size());
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return address;
}

/// Waits until `fd` has `events`, or for a moment. False when aborted.
bool wait_for(int fd, short events, const std::atomic<bool>& aborted) {
  pollfd entry{fd, events, 0};
  poll(&entry, 1, kPollMs);
  return !aborted;
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

Exchanged send_whole(int fd, const void* data, std::size_t bytes, const std::atomic<bool>& aborted) {
  const auto* at = static_cast<const std::byte*>(data);
  while (bytes > 0) {
    const ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) return Exchanged::kPeerLost;
    if (sent < 0 && !wait_for(fd, POLLOUT, aborted)) return Exchanged::kAborted;
    if (sent > 0) at += sent, bytes -= static_cast<std::size_t>(sent);
  }
  return Exchanged::kDone;
}

Exchanged receive_whole(int fd, void* data, std::size_t bytes, const std::atomic<bool>& aborted) {
  auto* at = static_cast<std::byte*>(data);
  while (bytes > 0) {
    const ssize_t got = recv(fd, at, bytes, 0);
    if (got == 0 || (got < 0 && !would_block())) return Exchanged::kPeerLost;
    if (got < 0 && !wait_for(fd, POLLIN, aborted)) return Exchanged::kAborted;
    if (got > 0) at += got, bytes -= static_cast<std::size_t>(got);
  }
  return Exchanged::kDone;
}

int make_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

}  // namespace

Mesh::~Mesh() {
  for (const Links& links : links_)
    for (const int fd : links.fds)
      if (fd >= 0) close(fd);
}

void Mesh::shut() {
  for (const Links& links : links_)
    for (const int fd : links.fds)
      if (fd >= 0) shutdown(fd, SHUT_RDWR);
}

Exchanged Mesh::connect_peer(const std::string& name, int peer, int channel,
                             const std::atomic<bool>& aborted) {
  socklen_t length = 0;
  const sockaddr_un address = address_of(name, peer, length);
  const int fd = make_socket();
  if (fd < 0) return Exchanged::kPeerLost;
  links_[channel].fds[static_cast<std::size_t>(peer)] = fd;
  while (connect(fd, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    if (aborted) return Exchanged::kAborted;
    if (errno != ECONNREFUSED && !would_block()) return Exchanged::kPeerLost;
    poll(nullptr, 0, 1);  // not there yet
  }
  Hello hello = mine_;
  hello.channel = channel;
  if (const auto sent = send_whole(fd, &hello, sizeof hello, aborted); sent != Exchanged::kDone) return sent;
  return receive_whole(fd, &hellos_[static_cast<std::size_t>(peer)], sizeof hello, aborted);
}

Exchanged Mesh::accept_peers(int listener, const std::atomic<bool>& aborted) {
  for (int left = 2 * (mine_.ranks - 1 - mine_.rank); left > 0;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (!would_block()) return Exchanged::kPeerLost;
      if (!wait_for(listener, POLLIN, aborted)) return Exchanged::kAborted;
      continue;
    }
    Hello hello;
    if (const auto got = receive_whole(fd, &hello, sizeof hello, aborted); got != Exchanged::kDone) {
      close(fd);
      return got;
    }
    if (hello.magic != kHelloMagic || hello.ranks != mine_.ranks || hello.rank <= mine_.rank ||
        hello.rank >= mine_.ranks || hello.channel < 0 || hello.channel > 1) {
      close(fd);
      return Exchanged::kMismatch;
    }
    const auto rank = static_cast<std::size_t>(hello.rank);
    links_[hello.channel].fds[rank] = fd;
    hellos_[rank] = hello;
    if (const auto sent = send_whole(fd, &mine_, sizeof mine_, aborted); sent != Exchanged::kDone)
      return sent;
    --left;
  }
  return Exchanged::kDone;
}

Exchanged Mesh::open(const std::string& name, const Hello& mine, const std::atomic<bool>& aborted,
                     std::string& problem) {
  mine_ = mine;
  mine_.magic = kHelloMagic;
  hellos_.assign(static_cast<std::size_t>(mine.ranks), mine_);
  for (Links& links : links_) links.fds.assign(static_cast<std::size_t>(mine.ranks), -1);
  const int listener = make_socket();
  socklen_t length = 0;
  const sockaddr_un address = address_of(name, mine.rank, length);
  if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(listener, 4096) != 0) {
    problem =
        "rank " + std::to_string(mine.rank) + " of this unique id is there already: " + std::strerror(errno);
    if (listener >= 0) close(listener);
    return Exchanged::kMismatch;
  }
  Exchanged result = Exchanged::kDone;
  for (int peer = 0; peer < mine.rank && result == Exchanged::kDone; ++peer) {
    for (int channel = 0; channel < 2 && result == Exchanged::kDone; ++channel)
      result = connect_peer(name, peer, channel, aborted);
    if (result == Exchanged::kDone && hellos_[static_cast<std::size_t>(peer)].ranks != mine.ranks)
      result = Exchanged::kMismatch;
  }
  if (result == Exchanged::kDone) result = accept_peers(listener, aborted);
  close(listener);
  if (result == Exchanged::kPeerLost) problem = "a peer went away while ranks were finding each other";
  if (result == Exchanged::kMismatch) problem = "ranks do not agree on how many they are";
  return result;
}

Exchanged Mesh::exchange(std::vector<Piece> sends, std::vector<Piece> recvs, const std::atomic<bool>& aborted,
                         std::string& problem) {
  return move(links_[0], sends, recvs, aborted, problem);
}

Exchanged Mesh::gather(const void* mine, std::size_t bytes, void* all, const std::atomic<bool>& aborted,
                       std::string& problem) {
  std::vector<Piece> sends, recvs;
  for (int peer = 0; peer < mine_.ranks; ++peer) {
    sends.push_back({peer, const_cast<void*>(mine), bytes, 0});
    recvs.push_back({peer, static_cast<std::byte*>(all) + bytes * static_cast<std::size_t>(peer), bytes, 0});
  }
  return move(links_[1], sends, recvs, aborted, problem);
}

}  // namespace collbench::nccl_double
