#pragma once
#include <string>

#include "transports/socket/address.h"

namespace collbench::worker {

/// A free address of this machine that nobody else gets as long as this lives, neither by asking for any port
/// nor for a connection that goes out; only who allows reuse (SO_REUSEADDR or SO_REUSEPORT), as servers do,
/// may listen there. Between a port that was looked up and a framework that listens there lie seconds.
class HeldAddress {
 public:
  /// @throws Error kUnavailable no port is free
  explicit HeldAddress(const socket::SocketAddress& here);
  /// "127.0.0.1:4711" or "[::1]:4711"
  [[nodiscard]] std::string text() const { return socket::SocketAddress::local_of(fd_.get()).text(); }

 private:
  socket::FileDescriptor fd_;
};

}  // namespace collbench::worker
