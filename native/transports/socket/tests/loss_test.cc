#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transports/socket/tests/pair.h"

using namespace collbench;
using namespace collbench::socket_tests;

namespace {

constexpr std::size_t kLarge = std::size_t{64} << 20;  // far more than the kernel buffers

/// A child process that runs `body`, reports that it has started, and waits to be killed.
class Victim {
 public:
  template <typename Body>
  explicit Victim(Body body) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      body([&] { [[maybe_unused]] const auto n = write(ready[1], "x", 1); });
      for (;;) pause();
    }
    close(ready[1]);
    ready_ = ready[0];
  }
  void wait_until_there() const {
    char byte;
    REQUIRE(read(ready_, &byte, 1) == 1);
  }
  void kill_now() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  ~Victim() {
    if (pid_ > 0) kill_now();
    close(ready_);
  }

 private:
  pid_t pid_ = -1;
  int ready_ = -1;
};

std::unique_ptr<RecvComm> accept_from(ListenComm& listener) {
  Spinner spinner(0);
  for (;;) {
    if (auto comm = listener.accept()) return comm;
    spinner.step();
  }
}

std::unique_ptr<SendComm> connect_to(Transport& transport, const ConnectHandle& handle) {
  auto connecting = transport.connect(0, handle);
  Spinner spinner(0);
  for (;;) {
    if (auto comm = connecting->poll()) return comm;
    spinner.step();
  }
}

}  // namespace

TEST_CASE("a sender killed in the middle of a message: the receiver's test throws and names the peer") {
  for (const int streams : {1, 3}) {
    const auto here = create_socket(options_with(streams));
    auto listener = here->listen(0);
    Victim sender([&](auto say_ready) {
      const auto there = create_socket(options_with(streams));
      const auto comm = connect_to(*there, listener->handle());
      const std::vector<std::uint8_t> data(kLarge, 1);
      comm->isend(data.data(), data.size(), 0, nullptr);
      say_ready();
      for (;;) pause();
    });
    const auto comm = accept_from(*listener);
    std::vector<std::uint8_t> into(kLarge);
    Request* request = post(*comm, into.data(), into.size());
    sender.wait_until_there();
    CHECK_FALSE(comm->test(request, nullptr));
    sender.kill_now();
    const Error error = error_of([&] { comm->test(request, nullptr); });
    CHECK(error.code() == ErrorCode::kConnectionLost);
    CHECK(contains(error.what(), "127.0.0.1:"));
    CHECK_THROWS_AS(comm->test(request, nullptr), Error);
  }
}

TEST_CASE("a receiver killed in the middle of a message: the sender's test throws and raises no SIGPIPE") {
  for (const int streams : {1, 3}) {
    int handles[2];
    REQUIRE(pipe(handles) == 0);
    Victim receiver([&](auto say_ready) {
      const auto there = create_socket(options_with(streams));
      auto listener = there->listen(0);
      [[maybe_unused]] const auto n = write(handles[1], listener->handle().data(), 128);
      const auto comm = accept_from(*listener);
      say_ready();
      for (;;) pause();
    });
    ConnectHandle handle;
    REQUIRE(read(handles[0], handle.data(), handle.size()) == 128);
    const auto here = create_socket(options_with(streams));
    const auto comm = connect_to(*here, handle);
    receiver.wait_until_there();
    const std::vector<std::uint8_t> data(kLarge, 1);
    Request* request = comm->isend(data.data(), data.size(), 0, nullptr);
    CHECK_FALSE(comm->test(request));
    receiver.kill_now();
    const Error error = error_of([&] { comm->test(request); });
    CHECK(error.code() == ErrorCode::kConnectionLost);
    CHECK(contains(error.what(), "127.0.0.1:"));
    close(handles[0]);
    close(handles[1]);
  }
}

TEST_CASE(
    "what was handed over before the sender closed still arrives; the next receive tells that it closed") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  Channel channel = connect_channel(*a, *b);
  const auto data = pattern(2000, 4);
  Request* out = channel.out->isend(data.data(), data.size(), 0, nullptr);
  while (!channel.out->test(out)) {
  }
  channel.out.reset();
  std::vector<std::uint8_t> into(data.size());
  Request* in = post(*channel.in, into.data(), into.size());
  while (!channel.in->test(in, nullptr)) {
  }
  CHECK(into == data);
  in = post(*channel.in, into.data(), into.size());
  const Error error = error_of([&] { channel.in->test(in, nullptr); });
  CHECK(error.code() == ErrorCode::kConnectionLost);
  CHECK(contains(error.what(), "closed the connection"));
}
