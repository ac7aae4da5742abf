#include "transports/socket/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace collbench::socket {
namespace {

const sockaddr_in& as_ipv4(const SocketAddress& a) { return reinterpret_cast<const sockaddr_in&>(a.storage); }
const sockaddr_in6& as_ipv6(const SocketAddress& a) {
  return reinterpret_cast<const sockaddr_in6&>(a.storage);
}

}  // namespace

std::uint16_t SocketAddress::port() const noexcept {
  if (family() == AF_INET) return ntohs(as_ipv4(*this).sin_port);
  if (family() == AF_INET6) return ntohs(as_ipv6(*this).sin6_port);
  return 0;
}

void SocketAddress::set_port(std::uint16_t port) noexcept {
  if (family() == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_port = htons(port);
  if (family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_port = htons(port);
}

std::string SocketAddress::host_text() const {
  char text[INET6_ADDRSTRLEN] = "?";
  if (family() == AF_INET) inet_ntop(AF_INET, &as_ipv4(*this).sin_addr, text, sizeof text);
  if (family() == AF_INET6) inet_ntop(AF_INET6, &as_ipv6(*this).sin6_addr, text, sizeof text);
  return text;
}

std::string SocketAddress::text() const {
  const std::string host = host_text();
  return (family() == AF_INET6 ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

bool SocketAddress::same_host(const SocketAddress& other) const noexcept {
  if (family() != other.family()) return false;
  if (family() == AF_INET) return as_ipv4(*this).sin_addr.s_addr == as_ipv4(other).sin_addr.s_addr;
  if (family() == AF_INET6)
    return std::memcmp(&as_ipv6(*this).sin6_addr, &as_ipv6(other).sin6_addr, sizeof(in6_addr)) == 0;
  return false;
}

SocketAddress SocketAddress::local_of(int fd) noexcept {
  SocketAddress a;
  a.length = sizeof a.storage;
  if (getsockname(fd, a.data(), &a.length) != 0) return {};
  return a;
}

SocketAddress SocketAddress::peer_of(int fd) noexcept {
  SocketAddress a;
  a.length = sizeof a.storage;
  if (getpeername(fd, a.data(), &a.length) != 0) return {};
  return a;
}

}  // namespace collbench::socket
