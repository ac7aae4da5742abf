#include "engines/worker/reserved_address.h"

#include <cerrno>

#include "core/error.h"

namespace collbench::worker {

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
