// Checks the contract of transport.h on every row of the registry.
#include <poll.h>

#include <cstdlib>
#include <deque>
#include <thread>

#include "core/spin.h"
#include "transports/registry.h"
#include "transports/tests/channel.h"

using namespace collbench;
using namespace collbench::transport_tests;

namespace {

struct Subject {
  std::string name;
  Maker make;
  TransportOptions options;
  bool carries_flags = false;
};

Channel connect(const Subject& subject) {
  Channel channel = connect_pair(subject.make, subject.options);
  channel.out->carry_flags(subject.carries_flags);
  return channel;
}

/// A shm transport as on machines whose ranks may not read each other's memory.
std::unique_ptr<Transport> create_shm_of_two_copies(const TransportOptions& options) {
  setenv("COLLBENCH_SHM_COPIES", "2", 1);
  auto transport = find_transport("shm")->create(options);
  unsetenv("COLLBENCH_SHM_COPIES");
  return transport;
}

std::vector<Subject> subjects() {
  const std::map<std::string_view, std::string> libraries = {
      {"sisci", "softntb"}, {"ibgda", "softmlx5"}, {"plugin", COLLBENCH_NET_PLUGIN}};
  std::vector<Subject> all;
  for (const TransportEntry& entry : transports()) {
    TransportOptions options;
    options.token = fresh_token();
    options.interface_name = "lo";
    const auto library = libraries.find(entry.name);
    if (library != libraries.end()) options.library = library->second;
    all.push_back({std::string(entry.name), entry.create, options});
    if (entry.name == "shm") all.push_back({"shm, two copies", create_shm_of_two_copies, options});
    if (entry.name == "shm") {
      TransportOptions awake = options;
      awake.sleeps = false;
      all.push_back({"shm, nobody sleeps", entry.create, awake});
    }
    if (entry.create(options)->devices().front().flagged_bytes > 0)
      all.push_back({std::string(entry.name) + ", flags in the data", entry.create, options, true});
    if (entry.name != "ibgda") continue;
    options.queue = "dc";
    all.push_back({"ibgda, dc queues", entry.create, options});
  }
  return all;
}

/// More uses of a connection than it takes for old flags to be zeroed (flagged_words.cc).
constexpr std::size_t kManyMessages = 40'000;

// Size 0 does not come first: a plugin that has reported no size yet may be one that never does.
constexpr std::size_t kSizes[] = {1,    0,    7,     8,     63,     64,      65,     4095,
                                  8192, 8193, 65536, 65537, 131073, 1048579, 3 << 20};

}  // namespace

TEST_CASE("messages of every size arrive whole, registered or not, also into larger buffers") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel channel = connect(subject);
    for (const std::size_t bytes : kSizes)
      for (const bool registered : {false, true}) {
        CAPTURE(bytes);
        CAPTURE(registered);
        const auto data = pattern(bytes, bytes + registered);
        CHECK(transfer(channel, data, bytes, registered) == data);
        CHECK(transfer(channel, data, bytes + 100'000, registered) == data);
      }
  }
}

TEST_CASE("memory at odd addresses can be registered and reaches the other side") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel channel = connect(subject);
    constexpr std::size_t kBytes = 200'001;
    const auto data = pattern(kBytes + 3, 5);
    std::vector<std::uint8_t> into(kBytes + 13, 0xEE);
    auto* source =
        channel.out->register_memory(const_cast<std::uint8_t*>(data.data()), data.size(), MemoryKind::kHost);
    auto* target = channel.in->register_memory(into.data(), into.size(), MemoryKind::kHost);
    Request* in = post(*channel.in, into.data() + 5, kBytes, target);
    Request* out = nullptr;
    while ((out = channel.out->isend(data.data() + 3, kBytes, 0, source)) == nullptr) yield_core();
    CHECK(drive(channel, out, in) == kBytes);
    CHECK(std::equal(data.begin() + 3, data.end(), into.begin() + 5));
    CHECK(into[4] == 0xEE);
    CHECK(into[5 + kBytes] == 0xEE);
  }
}

TEST_CASE("messages in flight keep their order, whatever their sizes and whichever side is ahead") {
  for (const Subject& subject : subjects())
    for (const bool receiver_first : {true, false}) {
      CAPTURE(subject.name);
      CAPTURE(receiver_first);
      Channel channel = connect(subject);
      constexpr std::size_t kMessages = 300;
      const std::size_t sizes[] = {8, 70'000, 0, 9'000, 300'000, 64, 8'192, 20'000};
      std::deque<std::pair<Request*, std::size_t>> sends, receives;
      std::vector<std::vector<std::uint8_t>> data(kMessages), into(kMessages);
      for (std::size_t i = 0; i < kMessages; ++i) {
        data[i] = pattern(sizes[i % 8], i);
        into[i].assign(sizes[i % 8] + 16, 0);
      }
      std::size_t sent = 0, posted = 0, done = 0;
      while (done < kMessages) {
        const bool may_post = receiver_first || sent == kMessages || sends.size() >= 8 || posted < sent;
        if (may_post && posted < kMessages)
          if (Request* request = post(*channel.in, into[posted].data(), into[posted].size()))
            receives.emplace_back(request, posted++);
        if (sent < kMessages && sends.size() < 8)
          if (Request* request = channel.out->isend(data[sent].data(), data[sent].size(), 0, nullptr))
            sends.emplace_back(request, sent++);
        while (!sends.empty() && channel.out->test(sends.front().first)) sends.pop_front();
        std::size_t bytes = 0;
        while (!receives.empty() && channel.in->test(receives.front().first, &bytes)) {
          const std::size_t i = receives.front().second;
          into[i].resize(bytes);
          REQUIRE(into[i] == data[i]);
          receives.pop_front();
          ++done;
        }
        yield_core();
      }
    }
}

TEST_CASE(
    "messages with flags and others follow each other, as the sender likes, for longer than flags lie "
    "there") {
  for (const Subject& subject : subjects()) {
    if (!subject.carries_flags) continue;
    CAPTURE(subject.name);
    Channel channel = connect(subject);
    const std::size_t longest = channel.from->devices().front().flagged_bytes;
    const auto data = pattern(2 * longest, 7);
    std::vector<std::uint8_t> into(2 * longest);
    std::uint64_t flagged = 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kManyMessages; ++i) {
      const bool carries = i / 50 % 3 != 0;
      const std::size_t bytes = i % 97 == 0 ? longest + i % 2 : i % 41;
      channel.out->carry_flags(carries);
      flagged += carries && bytes <= longest ? 1 : 0;
      Request* in = post(*channel.in, into.data(), into.size());
      Request* out = channel.out->isend(data.data() + i % 61, bytes, 0, nullptr);
      wrong += drive(channel, out, in) == bytes && std::memcmp(into.data(), data.data() + i % 61, bytes) == 0
                   ? 0
                   : 1;
    }
    CHECK(wrong == 0);
    CHECK(channel.from->counters().flagged_sent == flagged);
    CHECK(channel.from->counters().messages_sent == kManyMessages);
  }
}

TEST_CASE("several connections of one pair do not mix") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel first = connect(subject);
    Channel second = connect(subject);
    const auto a = pattern(50'000, 1), b = pattern(50'000, 2);
    CHECK(transfer(first, a, a.size(), true) == a);
    CHECK(transfer(second, b, b.size(), true) == b);
    CHECK(transfer(first, b, b.size(), false) == b);
  }
}

TEST_CASE("an abandoned attempt to connect does not disturb the next one") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel channel;
    channel.from = subject.make(subject.options);
    channel.to = subject.make(subject.options);
    auto listener = channel.to->listen(0);
    for (int polls : {0, 1, 3}) {
      auto abandoned = channel.from->connect(0, listener->handle());
      for (int i = 0; i < polls; ++i) abandoned->poll();
    }
    auto connecting = channel.from->connect(0, listener->handle());
    finish(channel, *listener, *connecting);
    const auto data = pattern(1000, 3);
    CHECK(transfer(channel, data, data.size(), false) == data);
  }
}

TEST_CASE("comms may be closed while requests are pending, and the other side is told") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel channel = connect(subject);
    std::vector<std::uint8_t> into(100'000), data(5'000'000);
    Request* in = post(*channel.in, into.data(), into.size());
    channel.out.reset();
    const Error receiver = error_of([&] {
      if (channel.in->test(in, nullptr)) throw Error(ErrorCode::kInternal, "completed");
    });
    CHECK(receiver.code() == ErrorCode::kConnectionLost);

    Channel other = connect(subject);
    Request* out = nullptr;
    while ((out = other.out->isend(data.data(), data.size(), 0, nullptr)) == nullptr) yield_core();
    other.in.reset();
    const Error sender = error_of([&] {
      if (other.out->test(out)) throw Error(ErrorCode::kInternal, "completed");
    });
    CHECK(sender.code() == ErrorCode::kConnectionLost);
  }
}

TEST_CASE("two threads exchange both ways and the counters agree") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    Channel there = connect(subject);
    Channel back = connect(subject);
    constexpr int kRounds = 300;
    constexpr std::size_t kBytes = 20'000;
    std::vector<std::uint8_t> ping(kBytes, 1), pong(kBytes, 0), echo(kBytes, 0);
    const auto send = [](SendComm& comm, const std::vector<std::uint8_t>& data) {
      Spinner spinner(0);
      Request* request = nullptr;
      while ((request = comm.isend(data.data(), data.size(), 0, nullptr)) == nullptr) spinner.step();
      while (!comm.test(request)) spinner.step();
    };
    const auto receive = [](RecvComm& comm, std::vector<std::uint8_t>& into) {
      Spinner spinner(0);
      Request* request = nullptr;
      while ((request = post(comm, into.data(), into.size())) == nullptr) spinner.step();
      while (!comm.test(request, nullptr)) spinner.step();
    };
    std::thread peer([&] {
      for (int i = 0; i < kRounds; ++i) {
        receive(*there.in, echo);
        for (auto& byte : echo) ++byte;
        send(*back.out, echo);
      }
    });
    for (int i = 0; i < kRounds; ++i) {
      send(*there.out, ping);
      receive(*back.in, pong);
      ping = pong;
    }
    peer.join();
    CHECK(ping == std::vector<std::uint8_t>(kBytes, static_cast<std::uint8_t>(1 + kRounds)));
    CHECK(there.from->counters().bytes_sent == kRounds * kBytes);
    CHECK(there.to->counters().bytes_received == kRounds * kBytes);
    CHECK(there.to->counters().messages_received == kRounds);
  }
}

namespace {

constexpr int kPatienceMs = 30'000;  // after this a wake-up counts as lost

/// Sleeps until a descriptor of `waits` is ready; returns false on timeout. Returns at once if they add none.
template <class... Waits>
bool sleep_on(const Waits*... waits) {
  std::vector<pollfd> set;
  ((waits == nullptr ? void() : waits->add_to_poll(set)), ...);
  if (!set.empty()) return poll(set.data(), set.size(), kPatienceMs) > 0;
  yield_core();
  return true;
}

}  // namespace

TEST_CASE("who sleeps until something becomes ready misses nothing, neither connecting nor moving data") {
  for (const Subject& subject : subjects()) {
    CAPTURE(subject.name);
    TransportOptions options = subject.options;
    options.ranks = 2;
    const auto from = subject.make(options);
    options.rank = 1;
    const auto to = subject.make(options);
    auto listener = to->listen(0);
    auto connecting = from->connect(0, listener->handle());
    std::unique_ptr<SendComm> out;
    std::unique_ptr<RecvComm> in;
    while (!out || !in) {
      if (!out) out = connecting->poll();
      if (!in) in = listener->accept();
      if (!out || !in) REQUIRE(sleep_on(out ? nullptr : connecting.get(), in ? nullptr : listener.get()));
    }
    out->carry_flags(subject.carries_flags);
    constexpr std::size_t kBytes = std::size_t{8} << 20;  // more than a socket holds
    const auto data = pattern(kBytes, 3);
    std::vector<std::uint8_t> into(kBytes);
    bool sent = true;
    std::thread sender([&] {
      Request* request = nullptr;
      while (sent && (request = out->isend(data.data(), kBytes, 0, nullptr)) == nullptr)
        sent = sleep_on(out.get());
      while (sent && !out->test(request)) sent = sleep_on(out.get());
    });
    bool received = true;
    Request* request = post(*in, into.data(), kBytes);
    while (received && !in->test(request, nullptr)) received = sleep_on(in.get());
    sender.join();
    CHECK(sent);
    CHECK(received);
    CHECK(into == data);
  }
}
