// Large transfers moved by the library's engines: same bytes, faults and link model as without them. The
// number of engines is fixed, so the tests are the same on any machine.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "emulated/softntb/dma/dma_transfer.h"
#include "emulated/softntb/dma/engines.h"
#include "harness.h"

using namespace softntb_test;
using collbench::softntb::engines_that_fit;
using collbench::softntb::kStepBytes;

namespace {

constexpr std::size_t kBytes = 9 * kStepBytes + 4'096;

std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> data(bytes);
  std::uint64_t x = seed;
  for (auto& byte : data) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::byte>(x >> 56);
  }
  return data;
}

/// Runs the test case with this many engines.
struct Engines {
  explicit Engines(const char* count) { setenv("SOFTNTB_ENGINES", count, 1); }
  ~Engines() { unsetenv("SOFTNTB_ENGINES"); }
  Engines(const Engines&) = delete;
  Engines& operator=(const Engines&) = delete;
};

sci_error_t start(const TestDmaQueue& queue, sci_remote_segment_t to, std::vector<std::byte>& data) {
  return error_of([&](auto* e) {
    SCIStartDmaTransferMem(queue.handle, data.data(), to, data.size(), 0, nullptr, nullptr, 0, e);
  });
}

sci_dma_queue_state_t wait(const TestDmaQueue& queue) {
  sci_error_t error = SCI_ERR_OK;
  return SCIWaitForDMAQueue(queue.handle, SCI_INFINITE_TIMEOUT, 0, &error);
}

}  // namespace

TEST_CASE("engines: many transfers at once, to driver memory and to registered memory, arrive whole") {
  for (const char* count : {"1", "3"}) {
    CAPTURE(count);
    const Engines engines(count);
    const TestLibrary library;
    PeerProcess peer([](const PeerChannel& talk) {
      const TestLibrary joined{TestLibrary::FabricJoin{}};
      const ImportedSegment plain(4, 1, false, 1);
      const ImportedSegment registered(4, 2, false, 1);
      for (std::uint64_t round = 1; round <= 8; ++round) {
        const TestDmaQueue queues[2] = {TestDmaQueue(1), TestDmaQueue(1)};
        auto one = pattern(kBytes, round), other = pattern(kBytes, round + 100);
        if (start(queues[0], plain.segment, one) != SCI_ERR_OK) return false;
        if (start(queues[1], registered.segment, other) != SCI_ERR_OK) return false;
        if (wait(queues[1]) != SCI_DMAQUEUE_DONE || wait(queues[0]) != SCI_DMAQUEUE_DONE) return false;
        talk.say();
        if (talk.await() != '.') return false;
      }
      return true;
    });
    const ExportedSegment plain(1, kBytes);
    const TestPages memory((kBytes + 4'095) / 4'096 * 4'096);
    const ExportedSegment registered(2, memory.bytes, 0, memory.at);
    peer.start();
    for (std::uint64_t round = 1; round <= 8; ++round) {
      REQUIRE(peer.talk().await() == '.');
      CHECK(std::memcmp(plain.at, pattern(kBytes, round).data(), kBytes) == 0);
      CHECK(std::memcmp(memory.at, pattern(kBytes, round + 100).data(), kBytes) == 0);
      peer.talk().say();
    }
    CHECK(peer.finish());
  }
}

TEST_CASE("engines: a vector of pieces and a read of remote memory are moved as by the polling thread") {
  const Engines engines("2");
  const TestLibrary library;
  const ExportedSegment target(1, kBytes);
  const ExportedSegment source(2, kBytes, 1);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  const auto data = pattern(kBytes, 5);
  std::memcpy(source.at, data.data(), kBytes);
  dis_dma_vec_t pieces[] = {{100'000, 0, 300'000, 0}, {1, 2'000, 0, 0}, {500'000, 4'096, 600'000, 0}};
  sci_error_t error = SCI_ERR_OK;
  SCIStartDmaTransferVec(queue.handle, source.segment, remote.segment, 3, pieces, nullptr, nullptr, 0,
                         &error);
  REQUIRE(error == SCI_ERR_OK);
  CHECK(wait(queue) == SCI_DMAQUEUE_DONE);
  CHECK(std::memcmp(target.at + 300'000, data.data(), 100'000) == 0);
  CHECK(target.at[0] == data[2'000]);
  CHECK(std::memcmp(target.at + 600'000, data.data() + 4'096, 500'000) == 0);
  CHECK(target.at[1] == std::byte{0});
  CHECK(target.at[600'000 + 500'000] == std::byte{0});

  std::memcpy(target.at, pattern(kBytes, 6).data(), kBytes);
  SCIStartDmaTransfer(queue.handle, source.segment, remote.segment, 0, kBytes, 0, nullptr, nullptr,
                      SCI_FLAG_DMA_READ | SCI_FLAG_DMA_WAIT, &error);
  CHECK(error == SCI_ERR_OK);
  CHECK(std::memcmp(source.at, pattern(kBytes, 6).data(), kBytes) == 0);
}

TEST_CASE("engines: after an abort nothing moves any more, and the queue can be used again") {
  const Engines engines("2");
  const TestLibrary library;
  const ExportedSegment target(1, kBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  sci_error_t error = SCI_ERR_OK;
  for (std::uint64_t round = 1; round <= 50; ++round) {
    auto data = pattern(kBytes, round);
    REQUIRE(start(queue, remote.segment, data) == SCI_ERR_OK);
    SCIAbortDMAQueue(queue.handle, 0, &error);
    std::memset(target.at, 0, kBytes);
    data.assign(kBytes, std::byte{0xFF});
    REQUIRE(SCIDMAQueueState(queue.handle) == SCI_DMAQUEUE_ABORTED);
    auto small = pattern(kStepBytes, round);
    REQUIRE(start(queue, remote.segment, small) == SCI_ERR_OK);
    REQUIRE(wait(queue) == SCI_DMAQUEUE_DONE);
    REQUIRE(std::memcmp(target.at, small.data(), kStepBytes) == 0);
    REQUIRE(target.at[kStepBytes] == std::byte{0});
    REQUIRE(target.at[kBytes - 1] == std::byte{0});
  }
}

TEST_CASE("engines: what a link model has not let arrive is not there") {
  const Engines engines("2");
  // An hour until the first byte, so that nothing arrives during the test on any machine.
  const TestLibrary library("custom:gbps=1,dma-start-us=3600000000");
  const ExportedSegment target(1, kBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  auto data = pattern(kBytes, 1);
  CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
  CHECK(start(queue, remote.segment, data) == SCI_ERR_BUSY);
  sci_error_t error = SCI_ERR_OK;
  CHECK(SCIWaitForDMAQueue(queue.handle, 1, 0, &error) == SCI_DMAQUEUE_POSTED);
  CHECK(std::vector<std::byte>(target.at, target.at + kBytes) == std::vector<std::byte>(kBytes));
}

TEST_CASE("engines: a paced transfer arrives whole, and not before its time") {
  const Engines engines("2");
  const TestLibrary library("custom:gbps=1,dma-start-us=100");
  const ExportedSegment target(1, kBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  auto data = pattern(kBytes, 2);
  const auto begin = collbench::now_ns();
  CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
  CHECK(wait(queue) == SCI_DMAQUEUE_DONE);
  CHECK(collbench::now_ns() - begin >= 100'000 + static_cast<std::int64_t>(kBytes));
  CHECK(std::memcmp(target.at, data.data(), kBytes) == 0);
}

TEST_CASE("engines: bit-flip and no-iommu strike as without them") {
  const Engines engines("2");
  {
    const TestLibrary library("none", "bit-flip:every=2");
    const ExportedSegment target(1, kBytes);
    const ImportedSegment remote(4, 1, false);
    const TestDmaQueue queue;
    auto data = pattern(kBytes, 3);
    for (const int wrong_bits : {0, 1, 0, 1}) {
      CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
      CHECK(wait(queue) == SCI_DMAQUEUE_DONE);
      int differing = 0;
      for (std::size_t i = 0; i < kBytes; ++i)
        differing += __builtin_popcount(std::to_integer<unsigned>(target.at[i] ^ data[i]));
      CHECK(differing == wrong_bits);
    }
  }
  const TestLibrary library("none", "no-iommu");
  const TestPages memory(2 * kStepBytes);
  const ExportedSegment registered(1, memory.bytes, 0, memory.at);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  auto data = pattern(2 * kStepBytes, 4);
  CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
  CHECK(wait(queue) == SCI_DMAQUEUE_DONE);
  CHECK(std::vector<std::byte>(memory.at, memory.at + memory.bytes) == std::vector<std::byte>(memory.bytes));
}

TEST_CASE("engines: link-down counts the same bytes: what went before is there, the rest is not") {
  const Engines engines("2");
  const TestLibrary library("none", "link-down:after-bytes=1048576");
  static_assert(4 * kStepBytes == 1'048'576);
  const ExportedSegment target(1, kBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  auto data = pattern(kBytes, 7);
  CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
  CHECK(wait(queue) == SCI_DMAQUEUE_ERROR);
  CHECK(std::memcmp(target.at, data.data(), 4 * kStepBytes) == 0);
  CHECK(std::vector<std::byte>(target.at + 4 * kStepBytes, target.at + kBytes) ==
        std::vector<std::byte>(kBytes - 4 * kStepBytes));
  CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
  CHECK(wait(queue) == SCI_DMAQUEUE_ERROR);
}

TEST_CASE("engines: a peer that dies ends the transfer into its memory with an error") {
  const Engines engines("2");
  const TestLibrary library;
  PeerProcess peer([](const PeerChannel& talk) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const TestPages memory(2 * kStepBytes);
    const ExportedSegment registered(1, memory.bytes, 1, memory.at);
    talk.say();
    return talk.await() == 'x';
  });
  peer.start();
  REQUIRE(peer.talk().await() == '.');
  {
    const ImportedSegment remote(8, 1, false);
    const TestDmaQueue queue;
    auto data = pattern(2 * kStepBytes, 8);
    CHECK(start(queue, remote.segment, data) == SCI_ERR_OK);
    CHECK(wait(queue) == SCI_DMAQUEUE_DONE);
    peer.kill();
    sci_error_t error = SCI_ERR_OK;
    do {  // until the loss is noticed, the kernel's refusal must be an error too
      error = start(queue, remote.segment, data);
      if (error == SCI_ERR_OK) CHECK(wait(queue) == SCI_DMAQUEUE_ERROR);
    } while (error == SCI_ERR_OK);
    CHECK(error == SCI_ERR_SEGMENT_NOT_CONNECTED);
  }
}

TEST_CASE("engines: threads that transfer at once share them, and they end with the library") {
  const Engines engines("2");
  for (int session = 0; session < 3; ++session) {
    const TestLibrary library;
    std::atomic<int> wrong{0};
    std::vector<std::thread> ranks;
    for (unsigned rank = 0; rank < 4; ++rank) {
      ranks.emplace_back([&, rank] {
        const ExportedSegment target(rank + 1, kBytes, rank);
        const ImportedSegment remote(4 * (rank + 1), rank + 1, false, rank);
        const TestDmaQueue queue(rank);
        for (std::uint64_t round = 1; round <= 5; ++round) {
          auto data = pattern(kBytes, 10 * rank + round);
          if (start(queue, remote.segment, data) != SCI_ERR_OK || wait(queue) != SCI_DMAQUEUE_DONE ||
              std::memcmp(target.at, data.data(), kBytes) != 0)
            ++wrong;
        }
      });
    }
    for (auto& rank : ranks) rank.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("engines: a value that is no number is refused") {
  for (const char* bad : {"many", "-1", "65", "2 "}) {
    const Engines engines(bad);
    setenv("SOFTNTB_LINK", "none", 1);
    setenv("SOFTNTB_FAULT", "", 1);
    CHECK(error_of([](auto* e) { SCIInitialize(0, e); }) == SCI_ERR_ILLEGAL_PARAMETER);
  }
}

TEST_CASE("engines: how many fit depends on the cores that ranks leave free") {
  CHECK(engines_that_fit(2, {2, 2}) == 0);
  CHECK(engines_that_fit(4, {1, 1}) == 0);
  CHECK(engines_that_fit(8, {2, 2}) == 1);
  CHECK(engines_that_fit(16, {2, 2}) == 3);
  CHECK(engines_that_fit(32, {2, 2}) == 4);
  CHECK(engines_that_fit(32, {8, 8}) == 1);
  CHECK(engines_that_fit(32, {32, 32}) == 0);
  CHECK(engines_that_fit(32, {40, 40}) == 0);
  CHECK(engines_that_fit(32, {16, 1}) == 4);
  CHECK(engines_that_fit(8, {0, 0}) == 4);
}
