#pragma once
#include <sys/types.h>

#include <string>

#include "engines/worker/framework.h"
#include "measure/shared_state.h"
#include "transports/socket/address.h"

namespace collbench::worker {

/// Returns the environment variables that torchrun sets, with which torch.distributed ranks find each other
/// (env://). They also name the interface, because Gloo would otherwise listen on the address of the host's
/// name.
EngineSettings torchrun_variables(const WorkerAddresses& addresses);

/// Returns kJoined if the worker or a descendant is connected to this TCP port on any host, or listens on it.
/// This means that it has joined the rendezvous of torch.distributed. Otherwise the result is kMissing.
/// @param port MASTER_PORT of torch.distributed; 0 = not known, the result is kUnknown
Rendezvous rendezvous_state(pid_t worker, int port);

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
  FileDescriptor fd_;
};

}  // namespace collbench::worker
