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

constexpr std::uint64_t kNotCounted = ~std::uint64_t{0};

std::optional<int> option_of(int socket, int name) {
  int value = 0;
  socklen_t bytes = sizeof value;
  if (getsockopt(socket, SOL_SOCKET, name, &value, &bytes) != 0) return std::nullopt;
  return value;
}

/// True for kinds of sockets that never use a network interface.
/// @param domain address family, AF_...
bool is_local(int domain) { return domain == AF_UNIX || domain == AF_NETLINK; }

std::optional<SocketTraffic> traffic_of(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  constexpr std::size_t kReceived = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  constexpr std::size_t kSent = offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 || bytes < kReceived) return std::nullopt;
  SocketTraffic traffic{kNotCounted, info.tcpi_bytes_received};
  if (bytes >= kSent) traffic.sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
  return traffic;
}

/// Returns sent and received bytes of each TCP socket of this process, by inode number; nullopt as for
/// read_socket_bytes().
std::optional<std::map<std::uint64_t, SocketTraffic>> read_all() {
  std::map<std::uint64_t, SocketTraffic> found;
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
    const auto traffic = option_of(fd, SO_PROTOCOL) == IPPROTO_TCP ? traffic_of(fd) : std::nullopt;
    if (!domain || !traffic) return std::nullopt;
    found[about.st_ino] = *traffic;
  }
  if (failed) return std::nullopt;
  return found;
}

}  // namespace

SocketBytes read_socket_bytes() {
  const auto all = read_all();
  if (!all) return std::nullopt;
  std::map<std::uint64_t, std::uint64_t> found;
  for (const auto& [inode, traffic] : *all) found[inode] = traffic.received;
  return found;
}

std::optional<SocketTraffic> read_socket_traffic() {
  const auto all = read_all();
  if (!all) return std::nullopt;
  SocketTraffic sum;
  for (const auto& [inode, traffic] : *all) {
    if (traffic.sent == kNotCounted) return std::nullopt;
    sum.sent += traffic.sent;
    sum.received += traffic.received;
  }
  return sum;
}

std::optional<SocketsReceived> received_between(const SocketBytes& before, const SocketBytes& after) {
  if (!before || !after) return std::nullopt;
  SocketsReceived sum;
  for (const auto& [inode, bytes] : *after) {
    const auto was = before->find(inode);
    sum.bytes += bytes - (was == before->end() ? 0 : was->second);
  }
  for (const auto& [inode, bytes] : *before)
    if (!after->contains(inode)) ++sum.gone;
  return sum;
}

}  // namespace collbench::metrics
