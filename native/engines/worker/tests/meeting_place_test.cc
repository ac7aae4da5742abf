#include "engines/worker/meeting_place.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "core/error.h"
#include "engines/worker/child.h"
#include "transports/socket/address.h"

using namespace collbench;
using namespace collbench::worker;

namespace {

/// Listens on a port of the loopback, or connects to it, says so, and waits until its rank speaks.
ChildRequest python(const std::string& work) {
  return {"sh", "python3 -c '\nimport os, socket\n" + work + "\nos.read(3, 1)\n'\n", {}, {}, -1};
}

}  // namespace

TEST_CASE("a worker has met the others once a process of it listens at the port or is connected to it") {
  Child first(
      python("s = socket.create_server((\"127.0.0.1\", 0))\nos.write(4, b\"%d\\n\" % s.getsockname()[1])"));
  const int port = std::stoi(first.hear({}));
  CHECK(meeting_of(first.pid(), port) == Rendezvous::kThere);
  Child absent(python("os.write(4, b\"up\\n\")"));
  CHECK(absent.hear({}) == "up");
  CHECK(meeting_of(absent.pid(), port) == Rendezvous::kMissing);
  CHECK(meeting_of(absent.pid(), 0) == Rendezvous::kUnknown);
  Child second(python("s = socket.create_connection((\"127.0.0.1\", " + std::to_string(port) +
                      "))\nos.write(4, b\"up\\n\")"));
  CHECK(second.hear({}) == "up");
  CHECK(meeting_of(second.pid(), port) == Rendezvous::kThere);
}
