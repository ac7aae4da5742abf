#include <doctest/doctest.h>
#include <netinet/in.h>

#include <cerrno>

#include "engines/worker/rendezvous.h"

using namespace collbench;

namespace {

socket::SocketAddress loopback() {
  socket::SocketAddress address;
  auto* ip = reinterpret_cast<sockaddr_in*>(address.data());
  ip->sin_family = AF_INET;
  ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.length = sizeof *ip;
  return address;
}

/// Returns 0, or the error when a socket with this option listens there.
int error_of_listening(const std::string& text, int option) {
  socket::SocketAddress address = loopback();
  address.set_port(static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1))));
  const FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (option != 0) REQUIRE(setsockopt(fd.get(), SOL_SOCKET, option, &on, sizeof on) == 0);
  if (bind(fd.get(), address.data(), address.length) != 0 || listen(fd.get(), 1) != 0) return errno;
  return 0;
}

}  // namespace

TEST_CASE("a held address is for servers that allow reuse, and for nobody else") {
  std::string text;
  {
    const worker::ReservedAddress held(loopback());
    text = held.text();
    CHECK(error_of_listening(text, 0) == EADDRINUSE);
    CHECK(error_of_listening(text, SO_REUSEADDR) == 0);
    CHECK(error_of_listening(text, SO_REUSEPORT) == 0);
    CHECK(worker::ReservedAddress(loopback()).text() != text);
  }
  CHECK(error_of_listening(text, 0) == 0);
}
