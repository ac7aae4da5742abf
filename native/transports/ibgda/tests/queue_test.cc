// Queues of both kinds, driven through their put port. All ranks are in this process and share softmlx5's one
// card; each has its own DC target.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/shared_object.h"
#include "emulated/cards.h"
#include "transports/ibgda/device.h"
#include "transports/ibgda/lane.h"
#include "transports/ibgda/puts.h"
#include "transports/registry.h"
#include "vendor_api/mlx5/devx.h"

using namespace collbench;

namespace {

std::unique_ptr<Transport> transport_of(const std::string& queue) {
  TransportOptions options;
  options.token = "00112233445566778899aabbccddeeff";
  options.library = ibgda::kSoftmlx5Name;
  options.queue = queue;
  return find_transport("ibgda")->create(options);
}

/// A rank with memory that the others may write.
struct PutRank {
  explicit PutRank(const std::string& kind)
      : transport(transport_of(kind)),
        port(*transport->put_port()),
        words(1024),
        region(port.expose(words.data(), words.size() * sizeof words[0])),
        queue(port.open_queue()) {}

  [[nodiscard]] PutTarget word(std::size_t n) const { return port.target_of(*region, &words[n]); }
  /// Puts the word `from` of this rank, rings its doorbell and waits for the completion.
  void put(const PutTarget& to, std::size_t from) {
    const std::uint32_t ticket = queue->write(to, &words[from], *region, sizeof words[0], true);
    queue->ring(ticket);
    while (!queue->has_completed(ticket)) queue->poll();
  }

  std::unique_ptr<Transport> transport;
  PutPort& port;
  std::vector<std::uint64_t> words;
  std::unique_ptr<MemoryRegion> region;
  std::unique_ptr<PutQueue> queue;
};

/// Number of times that the card has switched a DC initiator to another target.
std::uint64_t connects_of(const PutQueue& queue) {
  std::string why;
  decltype(&softmlx5_counters) counters = nullptr;
  TransportOptions options;
  options.library = ibgda::kSoftmlx5Name;
  REQUIRE(bind(counters, open_shared(ibgda::open_library(options)->path, why), "softmlx5_counters"));
  softmlx5_counters_t counted{};
  REQUIRE(counters(queue.lane().view.number, &counted) == 1);
  return counted.dc_connects;
}

}  // namespace

TEST_CASE("puts of both kinds arrive, many times round the ring") {
  for (const char* kind : {"rc", "dc"}) {
    CAPTURE(kind);
    PutRank a(kind), b(kind);
    a.queue->connect(b.queue->address());
    b.queue->connect(a.queue->address());
    for (std::size_t n = 0; n < 1000; ++n) {  // the ring has 256 blocks
      a.words[0] = n + 1;
      a.put(b.word(n), 0);
      REQUIRE(b.words[n] == n + 1);
    }
    CHECK(a.queue->counters().entries == 1000);
    CHECK(a.queue->counters().doorbells == 1000);
  }
}

TEST_CASE("data in entries of any number of blocks arrives, through the ring's end, too") {
  for (const auto kind : {ibgda::QueueKind::kReliable, ibgda::QueueKind::kDynamic}) {
    TransportOptions options;
    options.token = "00112233445566778899aabbccddeeff";
    options.library = ibgda::kSoftmlx5Name;
    const auto library = ibgda::open_library(options);
    configure(*library, options);
    const auto device = std::make_shared<const ibgda::IbgdaDevice>(library, "", kind);
    ibgda::QueueInitiator from(std::make_unique<ibgda::Queue>(device, 4)),
        to(std::make_unique<ibgda::Queue>(device));
    from.connect(to.queue().address());
    if (kind == ibgda::QueueKind::kReliable) to.connect(from.queue().address());
    CHECK(from.max_inline_bytes() == (kind == ibgda::QueueKind::kReliable ? 220 : 204));
    std::vector<unsigned char> memory(512), data(from.max_inline_bytes());
    const auto region = device->register_memory(memory.data(), memory.size());
    for (std::size_t bytes = 1; bytes <= data.size(); ++bytes) {
      for (std::size_t n = 0; n < bytes; ++n) data[n] = static_cast<unsigned char>(bytes + n);
      REQUIRE(from.has_room(from.inline_blocks(bytes)));
      const std::uint32_t end = from.write_inline(reinterpret_cast<std::uintptr_t>(memory.data()),
                                                  region->remote_key(), data.data(), bytes, true);
      from.ring();
      while (!from.has_completed(end)) from.poll();
      REQUIRE(std::equal(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(bytes), memory.begin()));
    }
  }
}

TEST_CASE("one DC initiator serves many peers: turning to another one costs a connect, staying does not") {
  PutRank from("dc"), one("dc"), two("dc");
  PutRank* const peers[] = {&one, &two};
  for (std::size_t n = 0; n < 20; ++n) {  // alternates: one, two, one, two, ...
    PutRank& to = *peers[n % 2];
    from.words[0] = n + 1;
    from.queue->connect(to.queue->address());
    from.put(to.word(n), 0);
    CHECK(to.words[n] == n + 1);
  }
  CHECK(connects_of(*from.queue) == 20);
  for (PutRank* to : peers) {
    from.queue->connect(to->queue->address());
    for (std::size_t n = 0; n < 10; ++n) from.put(to->word(100 + n), 0);
  }
  CHECK(connects_of(*from.queue) == 22);
}

TEST_CASE("entries for different peers may stand under one doorbell") {
  PutRank from("dc"), one("dc"), two("dc");
  from.words = {7, 8};
  from.region = from.port.expose(from.words.data(), 2 * sizeof from.words[0]);
  from.queue->connect(one.queue->address());
  from.queue->write(one.word(0), &from.words[0], *from.region, sizeof from.words[0], false);
  from.queue->connect(two.queue->address());
  const auto ticket =
      from.queue->write(two.word(0), &from.words[1], *from.region, sizeof from.words[0], true);
  from.queue->ring(ticket);
  while (!from.queue->has_completed(ticket)) from.queue->poll();
  CHECK(one.words[0] == 7);
  CHECK(two.words[0] == 8);
  CHECK(from.queue->counters().doorbells == 1);
}

TEST_CASE("a reliable connection cannot turn to another peer") {
  PutRank from("rc"), one("rc"), two("rc");
  from.queue->connect(one.queue->address());
  CHECK_THROWS_WITH_AS(from.queue->connect(two.queue->address()), doctest::Contains("RST2INIT"), Error);
}

TEST_CASE("queues of different kinds do not meet") {
  PutRank rc("rc"), dc("dc");
  CHECK_THROWS_WITH_AS(rc.queue->connect(dc.queue->address()),
                       "ibgda: the peer has queues of kind dc, this rank rc", Error);
  CHECK_THROWS_WITH_AS(dc.queue->connect(rc.queue->address()),
                       "ibgda: the peer has queues of kind rc, this rank dc", Error);
  CHECK_THROWS_WITH_AS(transport_of("ud"), "ibgda has queues of the kinds rc and dc, got ud", Error);
}

TEST_CASE("memory that a peer has taken back, a wrong key and a target that is gone end the queue in error") {
  const auto error_of_put = [](auto&& spoil) {
    PutRank from("dc");
    auto to = std::make_unique<PutRank>("dc");
    PutQueue::Address address = to->queue->address();
    const PutTarget word = to->word(0);
    spoil(to, address);
    from.queue->connect(address);
    try {
      from.put(word, 0);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::kConnectionLost);
      return std::string(error.what());
    }
    return std::string("none");
  };
  using PutRankPointer = std::unique_ptr<PutRank>;
  CHECK(error_of_put([](PutRankPointer& to, auto&) { to->region.reset(); }).find("remote access error") !=
        std::string::npos);
  const auto retried = [](const std::string& text) {
    return text.find("transport retries exceeded") != std::string::npos;
  };
  CHECK(retried(error_of_put([](PutRankPointer& to, auto&) { to.reset(); })));
  CHECK(retried(error_of_put([](PutRankPointer&, PutQueue::Address& address) {
    ibgda::QueueAddress changed;
    std::memcpy(&changed, address.data(), sizeof changed);
    ++changed.access_key;
    std::memcpy(address.data(), &changed, sizeof changed);
  })));
}

TEST_CASE("an adapter without what dc needs is told all that is missing") {
  namespace devx = rdma::devx;
  std::array<unsigned char, devx::kCapBytes> general{};
  using enum ibgda::QueueKind;
  CHECK(missing_abilities(kReliable, general.data(), true).empty());
  const std::string nothing = missing_abilities(kDynamic, general.data(), true);
  for (const char* what : {"capability dct", "capability compact_address_vector", "Ethernet"})
    CHECK(nothing.find(what) != std::string::npos);
  devx::set(general.data(), devx::cap::kDct, 1);
  CHECK(missing_abilities(kDynamic, general.data(), false) ==
        "it does not take short address vectors (capability compact_address_vector)");
  devx::set(general.data(), devx::cap::kCompactAddressVector, 1);
  CHECK(missing_abilities(kDynamic, general.data(), false).empty());
}
