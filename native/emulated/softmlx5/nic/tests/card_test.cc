// One process connected to itself: effect of each kind of entry, and result of invalid ones.
#include <numeric>

#include "doctest/doctest.h"
#include "emulated/softmlx5/nic/tests/client.h"

using namespace collbench::softmlx5;
using namespace collbench::softmlx5::test;

namespace {

/// Two connected clients whose memory has different content.
struct ConnectedClients {
  explicit ConnectedClients(std::size_t bytes = 1 << 20, unsigned target_access = kAll)
      : a(bytes), b(bytes, QueueKind::kReliable, target_access) {
    std::iota(reinterpret_cast<unsigned char*>(a.memory.data()),
              reinterpret_cast<unsigned char*>(a.memory.data()) + a.memory.size(), 1);
    REQUIRE(a.connect(b.address()));
    REQUIRE(b.connect(a.address()));
  }
  bool same(std::size_t offset, std::size_t bytes) const {
    return std::memcmp(a.memory.data() + offset, b.memory.data() + offset, bytes) == 0;
  }
  Client a, b;
};

std::uint64_t word_at(const Client& client, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, client.memory.data() + offset, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("a WRITE of any length arrives whole, and its completion names its place") {
  ConnectedClients pair(3 << 20);
  for (const bool drives : {false, true}) {
    pair.a.drives = drives;
    for (const std::uint32_t bytes : {1U, 8U, 63U, 4096U, 65'536U, 65'537U, 1'000'000U, 3U << 20}) {
      std::fill(pair.b.memory.begin(), pair.b.memory.end(), std::byte{0});
      const auto index = pair.a.control(kWrite).remote(pair.b.address(), 0).data(0, bytes).post();
      pair.a.ring_doorbell();
      const auto entry = pair.a.poll();
      REQUIRE(entry);
      CHECK(entry->opcode == kEntryRequest);
      CHECK(entry->counter == index);
      CHECK(entry->bytes == bytes);
      CHECK(pair.same(0, bytes));
      if (bytes < pair.b.memory.size()) CHECK(pair.b.memory[bytes] == std::byte{0});
    }
  }
}

TEST_CASE("bytes in the entry, several pieces, and entries that wrap at the ring's end") {
  ConnectedClients pair;
  std::vector<std::byte> text(100);
  for (std::size_t n = 0; n < text.size(); ++n) text[n] = static_cast<std::byte>(n * 7);
  for (int round = 0; round < 40; ++round) {
    std::fill(pair.b.memory.begin(), pair.b.memory.end(), std::byte{0});
    pair.a.control(kWrite, 0, 0, false).remote(pair.b.address(), 512).inlined(text).post();
    pair.a.control(kWrite).remote(pair.b.address(), 0).data(0, 100).data(100, 0).data(100, 156).post();
    pair.a.ring_doorbell();
    REQUIRE(pair.a.poll());
    CHECK(std::memcmp(pair.b.memory.data() + 512, text.data(), text.size()) == 0);
    CHECK(pair.same(0, 256));
  }
}

TEST_CASE("READ brings bytes, atomics bring what was there before") {
  ConnectedClients pair;
  for (const std::uint32_t bytes : {8U, 10'000U, 200'000U, 1U << 20}) {
    std::fill(pair.b.memory.begin(), pair.b.memory.end(), std::byte{0});
    pair.b.control(kRead).remote(pair.a.address(), 0).data(0, bytes).post();
    pair.b.ring_doorbell();
    REQUIRE(pair.b.poll());
    CHECK(pair.same(0, bytes));
  }
  const std::uint64_t before = word_at(pair.b, 64);
  pair.a.control(kFetchAdd).remote(pair.b.address(), 64).operands(5, 0).data(0, 8).post();
  pair.a.control(kCompareSwap).remote(pair.b.address(), 64).operands(77, before + 5).data(8, 8).post();
  pair.a.control(kCompareSwap).remote(pair.b.address(), 64).operands(88, 1).data(16, 8).post();
  pair.a.ring_doorbell();
  for (int n = 0; n < 3; ++n) CHECK(pair.a.poll()->opcode == kEntryRequest);
  CHECK(word_at(pair.a, 0) == before);
  CHECK(word_at(pair.a, 8) == before + 5);
  CHECK(word_at(pair.a, 16) == 77);
  CHECK(word_at(pair.b, 64) == 77);
}

TEST_CASE("a SEND finds its receive, also one that is posted later") {
  ConnectedClients pair;
  pair.a.control(kSend).data(0, 300).post();
  pair.a.control(kSendImmediate, 0xABCD).data(300, 10).post();
  pair.a.control(kWriteImmediate, 0x1234).remote(pair.b.address(), 5000).data(5000, 100'000).post();
  pair.a.ring_doorbell();
  CHECK_FALSE(pair.a.poll(50));
  const std::uint64_t base = Client::address_of(pair.b.memory.data());
  pair.b.card->post_receive(pair.b.queue, {{{base, 100, pair.b.key}, {base + 100, 200, pair.b.key}}, 1});
  pair.b.card->post_receive(pair.b.queue, {{{base + 300, 64, pair.b.key}}, 2});
  pair.b.card->post_receive(pair.b.queue, {{}, 3});
  const std::uint8_t kinds[] = {kEntryReceivedSend, kEntryReceivedSendImmediate,
                                kEntryReceivedWriteImmediate};
  const std::uint32_t bytes[] = {300, 10, 100'000}, immediates[] = {0, 0xABCD, 0x1234};
  for (int n = 0; n < 3; ++n) {
    const auto entry = pair.b.poll();
    REQUIRE(entry);
    CHECK(entry->opcode == kinds[n]);
    CHECK(entry->counter == n + 1);
    CHECK(entry->bytes == bytes[n]);
    CHECK(entry->immediate == immediates[n]);
    CHECK(pair.a.poll()->opcode == kEntryRequest);
  }
  CHECK(pair.same(0, 310));
  CHECK(pair.same(5000, 100'000));
}

TEST_CASE("a receiver that is never ready fails the SEND after the retries asked for") {
  Client a, b;
  REQUIRE(a.connect(b.address(), 1));
  REQUIRE(b.connect(a.address()));
  a.control(kSend).data(0, 8).post();
  a.ring_doorbell();
  CHECK(a.poll()->syndrome == kReceiverNotReadyRetries);
}

TEST_CASE("a DC initiator reaches any target that it names, and none with the wrong key") {
  Client from(1 << 16, QueueKind::kDcInitiator), one(1 << 16, QueueKind::kDcTarget),
      two(1 << 16, QueueKind::kDcTarget);
  for (Client* client : {&from, &one, &two}) REQUIRE(client->connect({}));
  from.memory[0] = std::byte{1};
  from.memory[1] = std::byte{2};
  from.control(kWrite).vector_to(one.address()).remote(one.address(), 0).data(0, 1).post();
  from.control(kWrite).vector_to(two.address()).remote(two.address(), 0).data(1, 1).post();
  from.ring_doorbell();
  REQUIRE(from.poll());
  REQUIRE(from.poll());
  CHECK(one.memory[0] == std::byte{1});
  CHECK(two.memory[0] == std::byte{2});
  for (int n = 0; n < 3; ++n)
    from.control(kWrite).vector_to(two.address()).remote(two.address(), 0).data(1, 1).post();
  from.ring_doorbell();
  for (int n = 0; n < 3; ++n) REQUIRE(from.poll());
  // connects to the first, then to the second and stays there
  CHECK(from.card->queue_counters(from.queue)->dc_connects == 2);
  from.control(kWrite)
      .operands(1, std::uint64_t{one.queue} << 32 | one.card->lid())
      .remote(one.address(), 0)
      .data(0, 1)
      .post();
  from.ring_doorbell();
  CHECK(from.poll()->syndrome == kTransportRetries);
}

TEST_CASE("WAIT holds the queue until another one has completed") {
  ConnectedClients pair;
  Client other;
  REQUIRE(other.connect(pair.b.address()));
  // `other` waits for the first completion of a's queue.
  other.control(kWait).raw(0, 0, pair.a.completions).post();
  other.control(kNop).post();
  other.ring_doorbell();
  CHECK_FALSE(other.poll(50));
  pair.a.control(kNop).post();
  pair.a.ring_doorbell();
  REQUIRE(pair.a.poll());
  CHECK(other.poll()->counter == 0);
  CHECK(other.poll()->counter == 1);
}

TEST_CASE("wrong entries complete with their syndrome, and those behind them are flushed") {
  const auto first_error = [](auto&& post, unsigned target_access = kAll) {
    ConnectedClients pair(1 << 16, target_access);
    pair.a.control(kWrite).remote(pair.b.address(), 0).data(0, 8).post();
    post(pair.a, pair.b);
    pair.a.control(kNop).post();
    pair.a.ring_doorbell();
    CHECK(pair.a.poll()->opcode == kEntryRequest);  // entries before the wrong one stay valid
    const auto wrong = pair.a.poll();
    REQUIRE(wrong);
    CHECK(wrong->opcode == kEntryRequestError);
    CHECK(pair.a.poll()->syndrome == kFlushed);
    CHECK(pair.a.card->query_queue_pair(pair.a.queue)->state == QueueState::kError);
    return wrong->syndrome;
  };
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kWrite).remote(b.address(), 0).data_with(0, 8, 0xBAD00).post();
        }) == kLocalProtection);
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kWrite).remote(b.address(), 0).data(a.memory.size() - 4, 8).post();
        }) == kLocalProtection);
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kWrite).remote(b.address(), b.memory.size() - 4).data(0, 8).post();
        }) == kRemoteAccess);
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kWrite).raw(b.address().memory, 0x123400, 0).data(0, 8).post();
        }) == kRemoteAccess);
  CHECK(
      first_error([](Client& a,
                     Client& b) { a.control(kRead).remote(b.address(), 0).data(0, 100'000 % 60'000).post(); },
                  kLocalWrite | kRemoteWrite) == kRemoteAccess);
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kFetchAdd).remote(b.address(), 4).operands(1, 0).data(0, 8).post();
        }) == kRemoteInvalidRequest);
  CHECK(first_error([](Client& a, Client&) { a.control(0x7F).data(0, 8).post(); }) == kLocalQueueOperation);
  CHECK(first_error([](Client& a, Client& b) {
          a.control(kWrite).remote(b.address(), 0).data(0, 8);
          a.segments[0] = std::byte{0};
          a.segments[2] = std::byte{0x55};  // index of another entry
          a.post();
        }) == kLocalQueueOperation);
}

TEST_CASE("a queue that is not connected to its target gets no answer that counts") {
  Client a, b;
  REQUIRE(a.connect(b.address()));
  REQUIRE(b.connect({b.card->lid(), 0xFFFFFF, 0, 0}));
  a.control(kWrite).remote(b.address(), 0).data(0, 8).post();
  a.ring_doorbell();
  CHECK(a.poll()->syndrome == kTransportRetries);
  Client c;
  REQUIRE(c.connect({0xBEEF, 5, 0, 0}));
  c.control(kWrite).remote(b.address(), 0).data(0, 8).post();
  c.ring_doorbell();
  CHECK(c.poll()->syndrome == kTransportRetries);
}

TEST_CASE("a reset queue works again") {
  ConnectedClients pair;
  pair.a.control(kWrite).raw(pair.b.address().memory, 0x123400, 0).data(0, 8).post();
  pair.a.ring_doorbell();
  CHECK(pair.a.poll()->syndrome == kRemoteAccess);
  REQUIRE(pair.a.card->modify_queue_pair(pair.a.queue, {}));
  pair.a.next = 0;
  std::fill(pair.a.record.begin(), pair.a.record.end(), std::byte{0});
  REQUIRE(pair.a.connect(pair.b.address()));
  pair.a.control(kWrite).remote(pair.b.address(), 0).data(0, 8).post();
  pair.a.ring_doorbell();
  const auto entry = pair.a.poll();
  REQUIRE(entry);
  CHECK(entry->opcode == kEntryRequest);
  CHECK(pair.same(0, 8));
}

TEST_CASE("a doorbell record without the register rings nothing, as on a real adapter") {
  ConnectedClients pair;
  pair.a.control(kNop).post();
  const std::uint32_t told = big32(pair.a.next & 0xFFFF);
  shared_word<std::uint32_t>(pair.a.record.data() + kDoorbellSend).store(told, std::memory_order_release);
  CHECK_FALSE(pair.a.poll(50));
  pair.a.ring_doorbell();
  CHECK(pair.a.poll());
}

TEST_CASE("a thousand entries under one doorbell each, counted") {
  ConnectedClients pair;
  pair.a.drives = true;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    pair.a.control(kWrite, 0, 0, n % 10 == 9).remote(pair.b.address(), 0).data(0, 16).post();
    if (n % 10 != 9) continue;
    pair.a.ring_doorbell();
    REQUIRE(pair.a.poll());
  }
  const auto counters = pair.a.card->queue_counters(pair.a.queue);
  CHECK(counters->requests == 1000);
  CHECK(counters->doorbells == 100);
  CHECK(counters->bytes_sent == 16'000);
  CHECK(pair.b.card->queue_counters(pair.b.queue)->bytes_received == 16'000);
}
