#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "core/file_descriptor.h"

namespace collbench::socket {

/// IPv4 or IPv6 address with port, as connect() and bind() take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;  // 0 = none

  [[nodiscard]] int family() const noexcept { return storage.ss_family; }
  [[nodiscard]] std::uint16_t port() const noexcept;
  void set_port(std::uint16_t port) noexcept;
  [[nodiscard]] const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
  /// Returns the IP address as text: "127.0.0.1" or "::1".
  [[nodiscard]] std::string host_text() const;
  /// Returns IP address and port as text: "127.0.0.1:4711" or "[::1]:4711".
  [[nodiscard]] std::string text() const;
  /// True if both have the same IP address; ports are not compared.
  [[nodiscard]] bool same_host(const SocketAddress& other) const noexcept;

  /// Returns the local address of a connected or bound socket; length 0 if the kernel knows none.
  static SocketAddress local_of(int fd) noexcept;
  /// Returns the address of the peer of a connected socket; length 0 if the kernel knows none.
  static SocketAddress peer_of(int fd) noexcept;
};

}  // namespace collbench::socket
