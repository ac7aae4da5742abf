// Errors of shm if the peer is a stranger or is killed, in both copy modes.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/spin.h"
#include "transports/shm/transport.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

constexpr std::size_t kLarge = std::size_t{4} << 20;  // more than all slots hold

TransportOptions own_options() {
  TransportOptions options;
  options.token = "00112233445566778899aabbccddeeff";
  return options;
}

/// While this object lives, new transports use the given number of copies.
class Copies {
 public:
  explicit Copies(int copies) { setenv("COLLBENCH_SHM_COPIES", std::to_string(copies).c_str(), 1); }
  ~Copies() { unsetenv("COLLBENCH_SHM_COPIES"); }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
};

struct Pipe {
  int ends[2];
  Pipe() { REQUIRE(pipe(ends) == 0); }
  ~Pipe() {
    for (const int end : ends) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void put(const void* data, std::size_t bytes) const {
    [[maybe_unused]] const auto n = write(ends[1], data, bytes);
  }
  void take(void* data, std::size_t bytes) const {
    REQUIRE(read(ends[0], data, bytes) == static_cast<ssize_t>(bytes));
  }
};

/// A child process that connects to a listener, sends what `body` sends and waits to be killed.
class Sender {
 public:
  template <class Body>
  Sender(const ConnectHandle& handle, Body body) {
    pid_ = fork();
    if (pid_ != 0) return;
    const auto transport = create_shm(own_options());
    auto connecting = transport->connect(0, handle);
    std::unique_ptr<SendComm> comm;
    while (comm == nullptr) comm = connecting->poll();
    body(*comm);
    there_.put("x", 1);
    for (;;) pause();
  }
  void wait_until_there() const {
    char byte;
    there_.take(&byte, 1);
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  ~Sender() {
    if (pid_ > 0) kill_now();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Pipe there_;
  pid_t pid_ = -1;
};

std::unique_ptr<RecvComm> accepted(ListenComm& listener) {
  for (;;) {
    if (auto comm = listener.accept()) return comm;
    yield_core();
  }
}

}  // namespace

TEST_CASE("what a killed process had sent still arrives; then the receive throws and names it") {
  for (const int copies : {1, 2}) {
    CAPTURE(copies);
    const Copies limited(copies);
    const auto here = create_shm(own_options());
    auto listener = here->listen(0);
    const std::vector<std::uint8_t> small = pattern(100, 1);
    const std::vector<std::uint8_t> large(kLarge, 1);
    Sender sender(listener->handle(), [&](SendComm& comm) {
      comm.isend(small.data(), small.size(), 0, nullptr);
      comm.isend(large.data(), large.size(), 0, nullptr);
    });
    const auto comm = accepted(*listener);
    const std::string killed = "process " + std::to_string(sender.pid());
    sender.wait_until_there();
    sender.kill_now();
    std::vector<std::uint8_t> into(kLarge);
    Request* first = post(*comm, into.data(), small.size());
    while (!comm->test(first, nullptr)) yield_core();
    CHECK(std::equal(small.begin(), small.end(), into.begin()));
    Request* second = post(*comm, into.data(), into.size());
    const Error error = error_of([&] {
      if (comm->test(second, nullptr)) throw Error(ErrorCode::kInternal, "completed");
    });
    CHECK(error.code() == ErrorCode::kConnectionLost);
    CHECK(contains(error.what(), killed));
  }
}

TEST_CASE("a stranger who does not know the run's token is refused, and the listener goes on") {
  const auto here = create_shm(own_options());
  auto listener = here->listen(0);
  TransportOptions options = own_options();
  options.token = fresh_token();
  const auto stranger = create_shm(options);
  auto refused = stranger->connect(0, listener->handle());
  CHECK(listener->accept() == nullptr);
  CHECK(error_of([&] { refused->poll(); }).code() == ErrorCode::kProtocol);
  const auto friendly = create_shm(own_options());
  Channel channel;
  auto connecting = friendly->connect(0, listener->handle());
  finish(channel, *listener, *connecting);
  const auto data = pattern(70'000, 2);
  CHECK(transfer(channel, data, data.size(), false) == data);
}

TEST_CASE("a message larger than its buffer, or of another tag, is refused by its receiver") {
  for (const int tag : {0, 1}) {
    Channel channel = connect_pair(create_shm, own_options());
    const auto data = pattern(1000, 3);
    std::vector<std::uint8_t> into(tag == 0 ? 999 : 1000);
    Request* in = post(*channel.in, into.data(), into.size());
    channel.out->isend(data.data(), data.size(), tag, nullptr);
    const Error error = error_of([&] { channel.in->test(in, nullptr); });
    CHECK(error.code() == ErrorCode::kProtocol);
    CHECK(contains(error.what(), tag == 0 ? "1000 bytes where 999" : "tag 1 where tag 0"));
  }
}

TEST_CASE("its detail says how large messages are copied, once there is a connection") {
  const auto copies_of = [](int copies) {
    const Copies limited(copies);
    const Channel channel = connect_pair(create_shm, own_options());
    return channel.to->devices().front().detail.copies;
  };
  CHECK(copies_of(2) == 2);
  const TransportDetail unconnected = create_shm(own_options())->devices().front().detail;
  CHECK(unconnected.local_path == LocalPath::kProcessMemory);
  CHECK(!unconnected.copies);
}

TEST_CASE("ranks on several machines are refused with the way out") {
  TransportOptions options = own_options();
  options.spans_hosts = true;
  const Availability availability = probe_shm(options);
  CHECK_FALSE(availability.available);
  CHECK(contains(availability.reason, "one machine"));
  CHECK(contains(availability.remedy, "socket"));
}
