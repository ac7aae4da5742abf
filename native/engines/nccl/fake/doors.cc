#include "engines/nccl/fake/doors.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "engines/nccl/fake/log.h"
#include "engines/nccl/fake/whole.h"

namespace collbench::nccl_fake {
namespace {

constexpr std::size_t kNameBytes = 32;  // of a unique id

/// What a rank tells the root.
struct Caller {
  char name[kNameBytes] = {};
  int rank = 0, ranks = 0;
  sockaddr_in door{};
};

std::mutex root_mutex;
std::map<std::string, int> root_doors;  // by name, until rank 0 takes its own

int tcp_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

std::string text_of(const sockaddr_in& address) {
  char host[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
  return std::string(host) + ":" + std::to_string(ntohs(address.sin_port));
}

std::optional<sockaddr_in> address_of(const std::string& text) {
  const auto colon = text.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos || inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1)
    return std::nullopt;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1)));
  return address;
}

/// As NCCL reads NCCL_SOCKET_IFNAME: a beginning of names, "=" before a whole one. Lists and exclusions are
/// not known here.
bool names_interface(const std::string& wanted, const char* name) {
  return wanted.starts_with('=') ? wanted.substr(1) == name : std::string(name).starts_with(wanted);
}

/// IPv4 address of the interface; nullopt = there is none.
std::optional<sockaddr_in> address_on(const std::string& wanted) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  std::optional<sockaddr_in> found;
  for (const ifaddrs* one = all; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    if (!names_interface(wanted, one->ifa_name)) continue;
    found = *reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    found->sin_port = 0;
  }
  freeifaddrs(all);
  return found;
}

/// Own address on the way to another one; no packet is sent.
std::optional<sockaddr_in> address_towards(const sockaddr_in& other) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in mine{};
  socklen_t length = sizeof mine;
  const bool known = fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&other), sizeof other) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&mine), &length) == 0;
  if (fd >= 0) close(fd);
  mine.sin_port = 0;
  return known ? std::optional(mine) : std::nullopt;
}

/// @param address gets the port  @return -1 = it cannot be listened on
int listen_on(sockaddr_in& address) {
  const int fd = tcp_socket();
  socklen_t length = sizeof address;
  if (fd >= 0 && bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(fd, 4096) == 0 && getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0)
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

std::size_t table_bytes(const Doors& doors) { return doors.addresses.size() * sizeof(sockaddr_in); }

/// Hears where all others are, then tells all of them.
Exchanged hear_all(const std::string& name, int ranks, Doors& doors, const std::atomic<bool>& aborted) {
  std::vector<int> callers;
  Exchanged result = Exchanged::kDone;
  while (result == Exchanged::kDone && callers.size() + 1 < static_cast<std::size_t>(ranks)) {
    const int fd = accept4(doors.listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (!would_block()) result = Exchanged::kPeerLost;
      if (!wait_for(doors.listener, POLLIN, aborted)) result = Exchanged::kAborted;
      continue;
    }
    callers.push_back(fd);
    Caller caller;
    result = receive_whole(fd, &caller, sizeof caller, aborted);
    if (result != Exchanged::kDone) break;
    const bool fits = std::memcmp(caller.name, name.data(), kNameBytes) == 0 && caller.ranks == ranks &&
                      caller.rank > 0 && caller.rank < ranks;
    if (fits)
      doors.addresses[static_cast<std::size_t>(caller.rank)] = caller.door;
    else
      result = Exchanged::kMismatch;
  }
  for (const int fd : callers) {
    if (result == Exchanged::kDone)
      result = send_whole(fd, doors.addresses.data(), table_bytes(doors), aborted);
    close(fd);
  }
  return result;
}

/// Rank 0.
Exchanged hold_meeting(const std::string& name, const sockaddr_in& root, int ranks, Doors& doors,
                       const std::atomic<bool>& aborted, std::string& problem) {
  {
    const std::lock_guard lock(root_mutex);
    const auto found = root_doors.find(name);
    if (found == root_doors.end()) {
      problem = "over several hosts rank 0 must be in the process that made the unique id";
      return Exchanged::kMismatch;
    }
    doors.listener = found->second;
    root_doors.erase(found);
  }
  doors.addresses[0] = root;
  const Exchanged held = hear_all(name, ranks, doors, aborted);
  if (held == Exchanged::kPeerLost) problem = "a peer went away while ranks were telling where they are";
  if (held == Exchanged::kMismatch) problem = "a rank of another communicator, or of another number, came";
  return held;
}

/// Any other rank.
Exchanged go_to_meeting(const std::string& name, const sockaddr_in& root, int rank, int ranks, Doors& doors,
                        const std::atomic<bool>& aborted, std::string& problem) {
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  std::optional<sockaddr_in> mine = wanted.empty() ? address_towards(root) : address_on(wanted);
  if (mine) doors.listener = listen_on(*mine);
  if (doors.listener < 0) {
    problem = "no socket interface found for NCCL_SOCKET_IFNAME=" + wanted;
    return Exchanged::kMismatch;
  }
  Caller caller;
  std::memcpy(caller.name, name.data(), std::min(name.size(), kNameBytes));
  caller.rank = rank;
  caller.ranks = ranks;
  caller.door = *mine;
  const int fd = tcp_socket();
  Exchanged called = fd < 0 ? Exchanged::kPeerLost : connect_whole(fd, &root, sizeof root, aborted);
  if (called == Exchanged::kDone) called = send_whole(fd, &caller, sizeof caller, aborted);
  if (called == Exchanged::kDone)
    called = receive_whole(fd, doors.addresses.data(), table_bytes(doors), aborted);
  if (fd >= 0) close(fd);
  if (called == Exchanged::kPeerLost) problem = "the root at " + text_of(root) + " does not answer";
  return called;
}

}  // namespace

std::string open_root_door(const std::string& name, std::string& problem) {
  const std::string wanted = environment("NCCL_SOCKET_IFNAME");
  if (wanted.empty() || names_interface(wanted, "lo")) return "";
  std::optional<sockaddr_in> address = address_on(wanted);
  const int fd = address ? listen_on(*address) : -1;
  if (fd < 0) {
    problem = "no socket interface found for NCCL_SOCKET_IFNAME=" + wanted;
    return "";
  }
  const std::lock_guard lock(root_mutex);
  root_doors[name] = fd;
  return text_of(*address);
}

Exchanged meet(const std::string& name, const std::string& root, int rank, int ranks, Doors& doors,
               const std::atomic<bool>& aborted, std::string& problem) {
  doors.addresses.assign(static_cast<std::size_t>(ranks), {});
  const std::optional<sockaddr_in> at = address_of(root);
  Exchanged met = Exchanged::kMismatch;
  if (!at)
    problem = "the unique id has no address: " + root;
  else if (rank == 0)
    met = hold_meeting(name, *at, ranks, doors, aborted, problem);
  else
    met = go_to_meeting(name, *at, rank, ranks, doors, aborted, problem);
  if (met != Exchanged::kDone && doors.listener >= 0) close(std::exchange(doors.listener, -1));
  return met;
}

}  // namespace collbench::nccl_fake
