#include "metrics/process_sockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace collbench::metrics {
namespace {

std::optional<int> option_of(int socket, int name) {
  int value = 0;
  socklen_t bytes = sizeof value;
  if (getsockopt(socket, SOL_SOCKET, name, &value, &bytes) != 0) return std::nullopt;
  return value;
}

/// Stays on this machine, and passes no network interface.
bool is_local(int domain) { return domain == AF_UNIX || domain == AF_NETLINK; }

std::optional<std::uint64_t> received_by(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  constexpr std::size_t kNeeded = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 || bytes < kNeeded) return std::nullopt;
  return info.tcpi_bytes_received;
}

}  // namespace

SocketBytes read_socket_bytes() {
  std::map<std::uint64_t, std::uint64_t> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator one("/proc/self/fd", failed), end; !failed && one != end;
       one.increment(failed)) {
    const std::string name = one->path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    struct stat about{};
    if (fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) continue;
    const auto domain = option_of(fd, SO_DOMAIN);
    if (domain && is_local(*domain)) continue;
    const auto received = option_of(fd, SO_PROTOCOL) == IPPROTO_TCP ? received_by(fd) : std::nullopt;
    if (!domain || !received) return std::nullopt;
    found[about.st_ino] = *received;
  }
  if (failed) return std::nullopt;
  return found;
}

std::optional<std::uint64_t> received_between(const SocketBytes& before, const SocketBytes& after) {
  if (!before || !after) return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto& [inode, bytes] : *after) {
    const auto was = before->find(inode);
    sum += bytes - (was == before->end() ? 0 : was->second);
  }
  for (const auto& [inode, bytes] : *before)
    if (!after->contains(inode)) return std::nullopt;
  return sum;
}

}  // namespace collbench::metrics
