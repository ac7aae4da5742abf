#pragma once
#include <string>

#include "transports/socket/address.h"

namespace collbench::worker {

/// A free address and port of this machine, reserved while this object exists. Reason: seconds pass until the
/// framework listens on the port, and meanwhile the kernel must not give it to another process that asks for
/// any port or makes an outgoing connection. A process that sets SO_REUSEADDR or SO_REUSEPORT, as servers do,
/// can still listen on it.
class ReservedAddress {
 public:
  /// @param here address on which to reserve a port @throws Error(kUnavailable) if no port is free
  explicit ReservedAddress(const socket::SocketAddress& here);
  /// Returns the address: "127.0.0.1:4711" or "[::1]:4711".
  [[nodiscard]] std::string text() const { return socket::SocketAddress::local_of(fd_.get()).text(); }

 private:
  socket::FileDescriptor fd_;
};

}  // namespace collbench::worker
