// Two processes: traffic between them, effects of a peer's death, faults and link models set through the
// environment.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/spin.h"
#include "emulated/softmlx5/nic/tests/client.h"

using namespace collbench::softmlx5;
using namespace collbench::softmlx5::test;

namespace {

/// A child process with pipes in both directions; it opens a card of its own.
class Child {
 public:
  Child(const std::function<void(int from, int to)>& body, const char* fault = "", const char* link = "") {
    int down[2], up[2];
    REQUIRE(pipe(down) == 0);
    REQUIRE(pipe(up) == 0);
    pid = fork();
    if (pid == 0) {
      setenv("SOFTMLX5_FAULT", fault, 1);
      setenv("SOFTMLX5_LINK", link, 1);
      body(down[0], up[1]);
      _exit(0);
    }
    to = down[1];
    from = up[0];
    close(down[0]);
    close(up[1]);
  }
  ~Child() {
    close(to);
    close(from);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  /// Stops all threads of the process. kill() alone returns before they have stopped.
  void stop() const {
    REQUIRE(kill(pid, SIGSTOP) == 0);
    int status = 0;
    REQUIRE(waitpid(pid, &status, WUNTRACED) == pid);
    REQUIRE(WIFSTOPPED(status));
  }
  pid_t pid = 0;
  int to = -1, from = -1;
};

template <typename Value>
void tell(int fd, const Value& value) {
  REQUIRE(write(fd, &value, sizeof value) == sizeof value);
}
template <typename Value = Address>
Value hear(int fd) {
  Value value{};
  REQUIRE(read(fd, &value, sizeof value) == sizeof value);
  return value;
}

/// Reports the address of its memory and waits for the parent to end.
void be_target(int from, int to) {
  Client client(8 << 20);
  tell(to, client.address());
  client.connect(hear(from));
  tell(to, true);
  char last = 0;
  while (read(from, &last, 1) > 0) {
  }
}

/// Writes n times from a child with faults.
/// @param completes false if no completion of the last write is expected; it is then waited for only briefly
/// @returns the last syndrome, or 255 if no completion came
std::uint8_t syndrome_with(const char* fault, int writes, bool completes, std::byte* landed = nullptr) {
  Client target;
  Child child(
      [writes, completes](int from, int to) {
        Client client;
        client.memory[32] = std::byte{0};
        tell(to, client.address());
        const auto peer = hear(from);
        client.connect(peer);
        std::uint8_t last = 0;
        for (int n = 0; n < writes && last == 0; ++n) {
          client.control(kWrite).remote(peer, 0).data(0, 64).post();
          client.ring_doorbell();
          const auto entry = client.poll(n + 1 == writes && !completes ? 100 : 20'000);
          last = entry ? entry->syndrome : 255;
        }
        tell(to, last);
      },
      fault);
  const auto peer = hear(child.from);
  target.connect(peer);
  tell(child.to, target.address());
  const auto last = hear<std::uint8_t>(child.from);
  if (landed != nullptr) *landed = target.memory[32];
  return last;
}

}  // namespace

TEST_CASE("bytes of every length cross between processes, both ways") {
  Child child(be_target);
  Client here((8 << 20) + 8);
  const auto there = hear(child.from);
  REQUIRE(here.connect(there));
  tell(child.to, here.address());
  hear<bool>(child.from);
  for (const bool drives : {false, true}) {
    here.drives = drives;
    for (const std::uint32_t bytes : {1U, 8U, 4096U, 100'000U, 4U << 20}) {
      const std::uint32_t half = 4 << 20;
      for (std::uint32_t n = 0; n < bytes; ++n) here.memory[n] = static_cast<std::byte>(n * 13 + bytes);
      std::fill(here.memory.begin() + half, here.memory.end(), std::byte{0});
      here.control(kWrite).remote(there, 0).data(0, bytes).post();
      here.control(kRead).remote(there, 0).data(half, bytes).post();
      here.control(kFetchAdd).remote(there, half).operands(3, 0).data(2 * half, 8).post();
      here.ring_doorbell();
      for (int n = 0; n < 3; ++n) {
        const auto entry = here.poll();
        REQUIRE(entry);
        CHECK(entry->syndrome == 0);
      }
      CHECK(std::memcmp(here.memory.data(), here.memory.data() + half, bytes / 8 * 8) == 0);
    }
  }
}

TEST_CASE("a peer that dies fails what it owes an answer, and leaves no name behind") {
  Client here;
  auto child = std::make_unique<Child>(be_target);
  const auto there = hear(child->from);
  REQUIRE(here.connect(there));
  tell(child->to, here.address());
  hear<bool>(child->from);
  here.control(kWrite).remote(there, 0).data(0, 8).post();
  here.ring_doorbell();
  REQUIRE(here.poll());
  child->stop();
  here.control(kWrite).remote(there, 0).data(0, 8).post();
  here.ring_doorbell();
  CHECK_FALSE(here.poll(50));
  child.reset();
  const auto entry = here.poll();
  REQUIRE(entry);
  CHECK(entry->syndrome == kTransportRetries);
  const std::string name =
      "@softmlx5/user" + std::to_string(geteuid()) + "/" + std::to_string(there.lid) + "\n";
  const auto is_known = [&name] {
    std::ifstream sockets("/proc/net/unix");
    std::string all((std::istreambuf_iterator<char>(sockets)), std::istreambuf_iterator<char>());
    return all.find(name) != std::string::npos;
  };
  // Kernels may close the files of a dead process a little later.
  const std::int64_t deadline = collbench::now_ns() + 10'000'000'000;
  while (is_known() && collbench::now_ns() < deadline) collbench::yield_core();
  CHECK_FALSE(is_known());
}

TEST_CASE("each fault does what it says") {
  std::byte landed{};
  CHECK(syndrome_with("", 3, true, &landed) == 0);
  CHECK(landed == std::byte{0});
  CHECK(syndrome_with("bit-flip", 1, true, &landed) == 0);
  CHECK(landed == std::byte{1});
  CHECK(syndrome_with("lost-doorbell:every=3", 3, false) == 255);
  CHECK(syndrome_with("stuck-cq:after=2", 3, false) == 255);
  CHECK(syndrome_with("qp-error:after=2", 3, true) == kLocalQueueOperation);
  CHECK(syndrome_with("port-down:after-bytes=160", 3, true) == kTransportRetries);
}

TEST_CASE("settings that are not understood are refused in one line") {
  Child child(
      [](int, int to) {
        std::string problem;
        const bool opened = Card::open(&problem) != nullptr;
        problem.resize(200);
        tell(to, opened);
        if (write(to, problem.data(), problem.size()) < 0) _exit(1);
      },
      "bit-flap");
  CHECK_FALSE(hear<bool>(child.from));
  char text[200];
  REQUIRE(read(child.from, text, sizeof text) > 0);
  CHECK(std::string(text).find("unknown fault 'bit-flap'; allowed: lost-doorbell[:every=N]") == 0);
}

namespace {

/// Writes 1 MiB to, or reads it from, a target whose address comes first, once told to. Its clock and the
/// parent's are the same.
std::function<void(int, int)> transfer_of_a_megabyte(std::uint8_t opcode) {
  return [opcode](int from, int to) {
    Client client(8 << 20);
    tell(to, client.address());
    const auto there = hear(from);
    client.connect(there);
    tell(to, true);
    hear<bool>(from);
    client.control(opcode).remote(there, 0).data(0, 1 << 20).post();
    client.ring_doorbell();
    client.poll();
    tell(to, collbench::now_ns());
  };
}

/// Lets so many processes transfer 1 MiB each with this process at the same time.
/// @returns the time until the last one has ended, ns
std::int64_t time_of_transfers(int processes, std::uint8_t opcode) {
  constexpr const char* kLink = "custom:gbps=0.1";
  std::vector<std::unique_ptr<Child>> clients;
  Child target(
      [processes](int from, int to) {
        std::vector<std::unique_ptr<Client>> own;
        for (int n = 0; n < processes; ++n) {
          own.push_back(std::make_unique<Client>(8 << 20));
          tell(to, own.back()->address());
          own.back()->connect(hear(from));
        }
        tell(to, true);
        char last = 0;
        while (read(from, &last, 1) > 0) {
        }
      },
      "", kLink);
  for (int n = 0; n < processes; ++n) {
    clients.push_back(std::make_unique<Child>(transfer_of_a_megabyte(opcode), "", kLink));
    const auto there = hear(target.from);
    tell(target.to, hear(clients.back()->from));
    tell(clients.back()->to, there);
    hear<bool>(clients.back()->from);
  }
  hear<bool>(target.from);
  const std::int64_t begin = collbench::now_ns();
  for (const auto& client : clients) tell(client->to, true);
  std::int64_t end = begin;
  for (const auto& client : clients) end = std::max(end, hear<std::int64_t>(client->from));
  return end - begin;
}

}  // namespace

TEST_CASE("cards that write to one card share its port, and those that read from it") {
  // 1 MiB at 0.1 GB/s is 10.4 ms.
  for (const std::uint8_t opcode : {kWrite, kRead}) {
    CAPTURE(opcode);
    CHECK(time_of_transfers(1, opcode) >= 10'400'000);
    CHECK(time_of_transfers(3, opcode) >= 3 * 10'400'000);
  }
}

TEST_CASE("a link model is slower than none, and its bytes are never early") {
  Child child(be_target);
  const auto there = hear(child.from);
  Child writer(
      [there](int from, int to) {
        Client client(8 << 20);
        tell(to, client.address());
        hear<bool>(from);
        client.connect(there);
        const std::int64_t begin = collbench::now_ns();
        client.control(kWrite).remote(there, 0).data(0, 1 << 20).post();
        client.ring_doorbell();
        client.poll();
        tell(to, collbench::now_ns() - begin);
      },
      "", "custom:gbps=0.1,latency-us=500");
  tell(child.to, hear(writer.from));
  hear<bool>(child.from);
  tell(writer.to, true);
  // 1 MiB at 0.1 GB/s is 10.5 ms, and two latencies are 1 ms.
  CHECK(hear<std::int64_t>(writer.from) >= 11'400'000);
}
