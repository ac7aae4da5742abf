#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "core/error.h"
#include "engines/worker/child.h"
#include "engines/worker/rendezvous.h"
#include "transports/socket/address.h"

using namespace collbench;
using namespace collbench::worker;

namespace {

/// Returns a Python program that listens on a loopback port, or connects to it, reports that, and waits for
/// its rank.
ChildRequest python(const std::string& work) {
  return {"sh", "python3 -c '\nimport os, socket\n" + work + "\nos.read(3, 1)\n'\n", {}, {}, -1};
}

}  // namespace

TEST_CASE("a worker has met the others once a process of it listens at the port or is connected to it") {
  Child first(
      python("s = socket.create_server((\"127.0.0.1\", 0))\nos.write(4, b\"%d\\n\" % s.getsockname()[1])"));
  const int port = std::stoi(first.receive({}));
  CHECK(rendezvous_state(first.pid(), port) == Rendezvous::kJoined);
  Child absent(python("os.write(4, b\"up\\n\")"));
  CHECK(absent.receive({}) == "up");
  CHECK(rendezvous_state(absent.pid(), port) == Rendezvous::kMissing);
  CHECK(rendezvous_state(absent.pid(), 0) == Rendezvous::kUnknown);
  Child second(python("s = socket.create_connection((\"127.0.0.1\", " + std::to_string(port) +
                      "))\nos.write(4, b\"up\\n\")"));
  CHECK(second.receive({}) == "up");
  CHECK(rendezvous_state(second.pid(), port) == Rendezvous::kJoined);
}
