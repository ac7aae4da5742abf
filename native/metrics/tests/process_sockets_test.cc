#include "metrics/process_sockets.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

using namespace collbench::metrics;

namespace {

/// A descriptor that closes itself.
struct Socket {
  int fd;
  explicit Socket(int its) : fd(its) { REQUIRE(fd >= 0); }
  ~Socket() { close(fd); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
};

sockaddr_in listen_on_loopback(int fd) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(fd, 1) == 0);
  socklen_t bytes = sizeof address;
  REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  return address;
}

}  // namespace

TEST_CASE("what own sockets received is counted by the kernel, and nothing else is") {
  const Socket listener(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in there = listen_on_loopback(listener.fd);
  const Socket sender(socket(AF_INET, SOCK_STREAM, 0));
  REQUIRE(connect(sender.fd, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0);
  const Socket receiver(accept(listener.fd, nullptr, nullptr));
  const SocketBytes before = read_socket_bytes();
  REQUIRE(before);
  CHECK(received_between(before, read_socket_bytes())->bytes == 0);
  std::array<char, 1000> data{};
  REQUIRE(write(sender.fd, data.data(), data.size()) == 1000);
  REQUIRE(recv(receiver.fd, data.data(), data.size(), MSG_WAITALL) == 1000);
  CHECK(received_between(before, read_socket_bytes())->bytes == 1000);
}

TEST_CASE("sockets between processes of this machine alone do not matter") {
  std::array<int, 2> pair{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0);
  const Socket one(pair[0]), other(pair[1]);
  const SocketBytes before = read_socket_bytes();
  REQUIRE(write(one.fd, "four", 4) == 4);
  CHECK(received_between(before, read_socket_bytes())->bytes == 0);
}

TEST_CASE("a socket whose bytes the kernel does not tell leaves it unknown, one that went away is counted") {
  SocketBytes before;
  {
    const Socket stream(socket(AF_INET, SOCK_STREAM, 0));
    before = read_socket_bytes();
    CHECK(before);
    const Socket datagrams(socket(AF_INET, SOCK_DGRAM, 0));
    CHECK_FALSE(read_socket_bytes());
    CHECK_FALSE(received_between(before, read_socket_bytes()));
  }
  const auto received = received_between(before, read_socket_bytes());
  REQUIRE(received);
  CHECK(received->bytes == 0);
  CHECK(received->gone == 1);
}
