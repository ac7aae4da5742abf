#include "engines/nccl/fake/mesh.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engines/nccl/fake/whole.h"

namespace collbench::nccl_fake {
namespace {

constexpr std::uint64_t kHelloMagic = 0x636f6c6c62656e63;

/// Where a rank listens.
struct Place {
  sockaddr_storage address{};
  socklen_t length = 0;
};

Place place_of(const std::string& name, const Doors& doors, int rank) {
  Place place;
  if (doors.listener >= 0) {
    place.length = sizeof(sockaddr_in);
    std::memcpy(&place.address, &doors.addresses[static_cast<std::size_t>(rank)], place.length);
    return place;
  }
  auto& address = reinterpret_cast<sockaddr_un&>(place.address);
  address.sun_family = AF_UNIX;
  const std::string text = "collbench-nccl-fake-" + name + "-" + std::to_string(rank);
  std::memcpy(address.sun_path + 1, text.data(), text.size());
  place.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return place;
}

/// TCP alone has the option.
void send_at_once(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int make_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

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

Exchanged Mesh::connect_peer(const std::string& name, const Doors& doors, int peer, int channel,
                             const std::atomic<bool>& aborted) {
  const Place place = place_of(name, doors, peer);
  const int fd = make_socket(place.address.ss_family);
  if (fd < 0) return Exchanged::kPeerLost;
  links_[channel].fds[static_cast<std::size_t>(peer)] = fd;
  if (const auto connected = connect_whole(fd, &place.address, place.length, aborted);
      connected != Exchanged::kDone)
    return connected;
  send_at_once(fd);
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
    send_at_once(fd);
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
                     std::string& problem, const Doors& doors) {
  mine_ = mine;
  mine_.magic = kHelloMagic;
  hellos_.assign(static_cast<std::size_t>(mine.ranks), mine_);
  for (Links& links : links_) links.fds.assign(static_cast<std::size_t>(mine.ranks), -1);
  const int listener = doors.listener >= 0 ? doors.listener : make_socket(AF_UNIX);
  const Place place = place_of(name, doors, mine.rank);
  const auto* address = reinterpret_cast<const sockaddr*>(&place.address);
  if (doors.listener < 0 &&
      (listener < 0 || bind(listener, address, place.length) != 0 || listen(listener, 4096) != 0)) {
    problem =
        "rank " + std::to_string(mine.rank) + " of this unique id is there already: " + std::strerror(errno);
    if (listener >= 0) close(listener);
    return Exchanged::kMismatch;
  }
  Exchanged result = Exchanged::kDone;
  for (int peer = 0; peer < mine.rank && result == Exchanged::kDone; ++peer) {
    for (int channel = 0; channel < 2 && result == Exchanged::kDone; ++channel)
      result = connect_peer(name, doors, peer, channel, aborted);
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

}  // namespace collbench::nccl_fake
