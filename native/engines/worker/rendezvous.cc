#include "engines/worker/rendezvous.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/error.h"
#include "core/process_tree.h"

namespace collbench::worker {
namespace {

/// Numbers of TCP states in /proc/net/tcp: connected, and listening.
constexpr unsigned kEstablished = 1, kListens = 10;

/// Adds the inodes of sockets that listen on this port, or are connected to it on any host.
/// @param table /proc/net/tcp or tcp6
void add_sockets_at(const char* table, unsigned port, std::set<std::string>& inodes) {
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    unsigned here = 0, there = 0, state = 0;
    unsigned long inode = 0;
    if (std::sscanf(line.c_str(), "%*s %*[^:]:%x %*[^:]:%x %x %*s %*s %*s %*s %*s %lu", &here, &there, &state,
                    &inode) != 4)
      continue;
    if ((state == kEstablished && there == port) || (state == kListens && here == port))
      inodes.insert("socket:[" + std::to_string(inode) + "]");
  }
}

bool has_one_of(pid_t pid, const std::set<std::string>& inodes) {
  std::error_code gone;
  std::filesystem::directory_iterator one("/proc/" + std::to_string(pid) + "/fd", gone);
  for (; !gone && one != std::filesystem::directory_iterator(); one.increment(gone)) {
    std::error_code closed;
    if (inodes.contains(std::filesystem::read_symlink(one->path(), closed).string())) return true;
  }
  return false;
}

}  // namespace

EngineSettings torchrun_variables(const WorkerAddresses& addresses) {
  const std::string& first = addresses.addresses.front();
  const std::size_t colon = first.rfind(':');
  std::string host = first.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {{"MASTER_ADDR", host},
          {"MASTER_PORT", first.substr(colon + 1)},
          {"WORLD_SIZE", std::to_string(addresses.addresses.size())},
          {"RANK", std::to_string(addresses.rank)},
          {"LOCAL_RANK", std::to_string(addresses.local_rank)},
          {"GLOO_SOCKET_IFNAME", addresses.interface}};
}

Rendezvous rendezvous_state(pid_t worker, int port) {
  if (port <= 0) return Rendezvous::kUnknown;
  std::set<std::string> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"})
    add_sockets_at(table, static_cast<unsigned>(port), inodes);
  if (!inodes.empty())
    for (const pid_t pid : process_tree(worker))
      if (has_one_of(pid, inodes)) return Rendezvous::kJoined;
  return Rendezvous::kMissing;
}

ReservedAddress::ReservedAddress(const socket::SocketAddress& here)
    : fd_(::socket(here.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  socket::SocketAddress address = here;
  address.set_port(0);
  if (fd_.get() < 0 || bind(fd_.get(), address.data(), address.length) != 0)
    throw system_error(ErrorCode::kUnavailable, "binding a port on " + here.host_text(), errno);
  // Set only after binding; otherwise a port reserved by another process in this way could be given out
  // twice.
  const int on = 1;
  for (const int option : {SO_REUSEADDR, SO_REUSEPORT})
    if (setsockopt(fd_.get(), SOL_SOCKET, option, &on, sizeof on) != 0)
      throw system_error(ErrorCode::kUnavailable, "holding a port on " + here.host_text(), errno);
}

}  // namespace collbench::worker
