#include "engines/worker/rendezvous_watch.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/process_tree.h"

namespace collbench::worker {
namespace {

/// Numbers of TCP states in /proc/net/tcp: connected, and listening.
constexpr unsigned kEstablished = 1, kListens = 10;

/// Adds the inodes of sockets that listen on this port, or are connected to it on any host. @param table
/// /proc/net/tcp or tcp6
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

}  // namespace collbench::worker
