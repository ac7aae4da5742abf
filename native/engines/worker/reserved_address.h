#pragma once
#include <string>

#include "transports/socket/address.h"

namespace collbench::worker {

/// A free address of this machine, reserved while this object lives. No other process gets it by asking for
/// any port or for an outgoing connection. Only processes that allow reuse (SO_REUSEADDR or SO_REUSEPORT), as
/// servers do, may listen there. Seconds pass between looking up a port and the framework's listening.
class ReservedAddress {
 public:
  /// @throws Error(kUnavailable) if no port is free
  explicit ReservedAddress(const socket::SocketAddress& here);
  /// Returns the address: "127.0.0.1:4711" or "[::1]:4711".
  [[nodiscard]] std::string text() const { return socket::SocketAddress::local_of(fd_.get()).text(); }

 private:
  socket::FileDescriptor fd_;
};

}  // namespace collbench::worker
