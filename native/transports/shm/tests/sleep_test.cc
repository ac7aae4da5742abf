// An end of shm that waits sleeps in poll() until there is something to do for it, and not shorter: a rank
// that polls on takes the core from the rank that it waits for.
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "core/spin.h"
#include "transports/shm/recv_comm.h"
#include "transports/shm/send_comm.h"
#include "transports/shm/transport.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

constexpr int kEnough = 10'000;  // ms; a wake-up that is lost ends the test by a failure, and not by a hang

/// True if poll() would return within `timeout_ms` for a comm that found nothing to do.
template <class Comm>
bool is_woken(const Comm& comm, int timeout_ms) {
  std::vector<pollfd> set;
  comm.add_to_poll(set);
  return poll(set.data(), set.size(), timeout_ms) > 0;
}

Channel connected() {
  TransportOptions options;
  options.token = fresh_token();
  return connect_pair(create_shm, options);
}

/// A receiving end whose sender is the test, which writes the shared memory word by word.
struct HandWritten {
  static std::unique_ptr<shm::ShmConnection> connection(int fd) {
    auto memory = std::make_unique<ipc::SharedMemory>();
    REQUIRE(memory->create(sizeof(shm::SharedChannel)));
    return std::make_unique<shm::ShmConnection>(std::move(memory), FileDescriptor(fd), getpid(),
                                                shm::CopyMode::kTwoCopies, shm::SleepPolicy{});
  }
  explicit HandWritten(std::unique_ptr<shm::ShmConnection> end)
      : channel(end->channel()), comm(std::move(end), std::make_shared<CommCounters>()) {}
  shm::SharedChannel& channel;
  shm::ShmRecvComm comm;
};

}  // namespace

TEST_CASE(
    "a sender that waits for its message to be copied sleeps, though slots were freed since it last wrote") {
  Channel channel = connected();
  const std::vector<std::uint8_t> small(8, 1), large(shm::kSingleCopyBytes, 2);
  std::vector<std::uint8_t> into(large.size());
  for (std::uint64_t n = 0; n < shm::kSlots / 2; ++n) transfer(channel, small, small.size(), false);
  Request* out = channel.out->isend(large.data(), large.size(), 0, nullptr);
  REQUIRE(out != nullptr);
  REQUIRE_FALSE(channel.out->test(out));
  CHECK_FALSE(is_woken(*channel.out, 0));
  Request* in = post(*channel.in, into.data(), into.size());
  while (!channel.in->test(in, nullptr)) yield_core();
  CHECK(is_woken(*channel.out, kEnough));
  CHECK(channel.out->test(out));
  CHECK(into == large);
}

TEST_CASE("a sender that waits for slots wakes when the receiver has freed some, and not before") {
  setenv("COLLBENCH_SHM_COPIES", "2", 1);
  Channel channel = connected();
  unsetenv("COLLBENCH_SHM_COPIES");
  const std::vector<std::uint8_t> large = pattern(2 * shm::kSlots * shm::kSlotBytes, 1);
  std::vector<std::uint8_t> into(large.size());
  Request* out = channel.out->isend(large.data(), large.size(), 0, nullptr);
  REQUIRE_FALSE(channel.out->test(out));
  CHECK_FALSE(is_woken(*channel.out, 0));
  Request* in = post(*channel.in, into.data(), into.size());
  for (bool sent = false, received = false; !received;) {
    received = channel.in->test(in, nullptr);
    if (sent) continue;
    CHECK(is_woken(*channel.out, kEnough));
    sent = channel.out->test(out);
  }
  CHECK(into == large);
}

TEST_CASE("a receiver sleeps while a message with flags is half there, and wakes for each further word") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const FileDescriptor peer(ends[1]);
  HandWritten receiver(HandWritten::connection(ends[0]));
  const std::vector<std::uint8_t> message = pattern(18, 3);
  std::vector<std::uint8_t> into(message.size());
  std::vector<FlaggedCell> whole(kFlaggedCells);
  FlaggedWriter().write(reinterpret_cast<FlaggedCells&>(*whole.data()), 1, message.data(), message.size(), 0);
  Request* in = post(receiver.comm, into.data(), into.size());
  constexpr std::size_t kWords = 1 + (18 + 3) / 4;  // the head, and four bytes a word
  for (std::size_t word = 0; word < kWords; ++word) {
    REQUIRE_FALSE(receiver.comm.test(in, nullptr));
    CHECK_FALSE(is_woken(receiver.comm, 0));
    receiver.channel.cells[1].words[word] = whole[1].words[word];
    CHECK(is_woken(receiver.comm, 0) == (word > 0));  // the head has no bytes of the message
  }
  CHECK(receiver.comm.test(in, nullptr));
  CHECK(into == message);
}

TEST_CASE("a receiver wakes for a message without bytes that carries flags") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const FileDescriptor peer(ends[1]);
  HandWritten receiver(HandWritten::connection(ends[0]));
  Request* in = post(receiver.comm, nullptr, 0);
  REQUIRE_FALSE(receiver.comm.test(in, nullptr));
  FlaggedWriter().write(receiver.channel.cells, 1, nullptr, 0, 0);
  CHECK(is_woken(receiver.comm, 0));
  CHECK(receiver.comm.test(in, nullptr));
}
