#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "emulated/softntb/dma/dma_transfer.h"
#include "harness.h"

using namespace softntb_test;

namespace {

constexpr std::size_t kPage = 4096;

std::byte pattern(std::size_t index, unsigned seed) {
  return static_cast<std::byte>((index * 2654435761U >> 7) + seed);
}

void fill(std::byte* at, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = pattern(i, seed);
}

bool holds(const std::byte* at, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != pattern(i, seed)) return false;
  }
  return true;
}

sci_dma_queue_state_t wait(const TestDmaQueue& queue, sci_error_t* error) {
  return SCIWaitForDMAQueue(queue.handle, SCI_INFINITE_TIMEOUT, 0, error);
}

}  // namespace

TEST_CASE("stores through a mapped pointer are seen by the other process in their order") {
  const TestLibrary library;
  PeerProcess peer([](const PeerChannel&) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const ImportedSegment remote(4, 1, true, 1);
    auto* words = reinterpret_cast<volatile std::uint64_t*>(remote.at);
    for (std::uint64_t round = 1; round <= 1'000; ++round) {
      words[8] = round * 3;
      SCIFlush(nullptr, 0);
      __atomic_store_n(&words[0], round, __ATOMIC_RELEASE);
      SCIFlush(nullptr, 0);
      while (__atomic_load_n(&words[1], __ATOMIC_ACQUIRE) != round) collbench::yield_core();
    }
    return true;
  });
  const ExportedSegment mailbox(1, kPage, 0);
  peer.start();
  auto* words = reinterpret_cast<volatile std::uint64_t*>(mailbox.at);
  std::uint64_t wrong = 0;
  for (std::uint64_t round = 1; round <= 1'000; ++round) {
    while (__atomic_load_n(&words[0], __ATOMIC_ACQUIRE) != round) collbench::yield_core();
    if (words[8] != round * 3) ++wrong;
    __atomic_store_n(&words[1], round, __ATOMIC_RELEASE);
  }
  CHECK(wrong == 0);
  CHECK(peer.finish());
}

TEST_CASE("SCIMemCpy writes and reads, and keeps to the map") {
  const TestLibrary library;
  const ExportedSegment exported(1, 2 * kPage);
  const ImportedSegment imported(4, 1);
  std::vector<std::byte> data(kPage);
  fill(data.data(), data.size(), 1);
  sci_sequence_t sequence = nullptr;
  SCICreateMapSequence(imported.map, &sequence, 0, nullptr);
  const auto copy = [&](std::size_t offset, std::size_t size, unsigned flags) {
    return error_of([&](auto* e) { SCIMemCpy(sequence, data.data(), imported.map, offset, size, flags, e); });
  };
  CHECK(SCIStartSequence(sequence, 0, nullptr) == SCI_SEQ_OK);
  CHECK(copy(100, kPage, SCI_FLAG_ERROR_CHECK) == SCI_ERR_OK);
  CHECK(holds(exported.at + 100, kPage, 1));
  CHECK(SCICheckSequence(sequence, 0, nullptr) == SCI_SEQ_OK);
  fill(exported.at, kPage, 2);
  CHECK(copy(0, kPage, SCI_FLAG_BLOCK_READ) == SCI_ERR_OK);
  CHECK(holds(data.data(), kPage, 2));
  CHECK(copy(kPage, kPage + 1, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(copy(0, 1, 0x80) == SCI_ERR_ILLEGAL_FLAG);
  SCIRemoveSequence(sequence, 0, nullptr);
}

TEST_CASE("DMA between driver-allocated segments of two processes, in both directions") {
  const TestLibrary library;
  constexpr std::size_t kBytes = 3 * collbench::softntb::kStepBytes + 4'321;
  PeerProcess peer([](const PeerChannel& talk) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const ExportedSegment local(2, kBytes, 1);
    const ImportedSegment remote(4, 1, false, 1);
    const TestDmaQueue queue(1);
    fill(local.at, kBytes, 7);
    sci_error_t error = SCI_ERR_OK;
    if (SCIDMAQueueState(queue.handle) != SCI_DMAQUEUE_IDLE) return false;
    SCIStartDmaTransfer(queue.handle, local.segment, remote.segment, 0, kBytes, 0, nullptr, nullptr, 0,
                        &error);
    if (error != SCI_ERR_OK) return false;
    // One step moves only a part, so the first poll of so large a transfer cannot end it.
    if (SCIDMAQueueState(queue.handle) != SCI_DMAQUEUE_POSTED) return false;
    if (wait(queue, &error) != SCI_DMAQUEUE_DONE || error != SCI_ERR_OK) return false;
    talk.say();
    if (talk.await() != 'r') return false;
    SCIStartDmaTransfer(queue.handle, local.segment, remote.segment, 64, kBytes - 64, 64, nullptr, nullptr,
                        SCI_FLAG_DMA_READ | SCI_FLAG_DMA_WAIT, &error);
    return error == SCI_ERR_OK && holds(local.at, 64, 7) && !holds(local.at + 64, 64, 7) &&
           std::memcmp(local.at + 64, "answer", 6) == 0;
  });
  const ExportedSegment exported(1, kBytes);
  peer.start();
  static_cast<void>(peer.talk().await());
  CHECK(holds(exported.at, kBytes, 7));
  std::memcpy(exported.at + 64, "answer", 6);
  peer.talk().say('r');
  CHECK(peer.finish());
}

TEST_CASE("DMA reaches memory that another process registered") {
  const TestLibrary library;
  constexpr std::size_t kBytes = 160 * kPage;
  PeerProcess peer([](const PeerChannel& talk) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const TestPages source(kBytes);
    const ExportedSegment local(2, kBytes, 1, source.at);
    const ImportedSegment remote(4, 1, false, 1);
    const TestDmaQueue queue(1);
    fill(source.at, kBytes, 3);
    sci_error_t error = SCI_ERR_OK;
    SCIStartDmaTransfer(queue.handle, local.segment, remote.segment, kPage, kBytes - kPage, kPage, nullptr,
                        nullptr, 0, &error);
    if (wait(queue, &error) != SCI_DMAQUEUE_DONE) return false;
    SCIStartDmaTransferMem(queue.handle, source.at, remote.segment, kPage, 0, nullptr, nullptr, 0, &error);
    if (wait(queue, &error) != SCI_DMAQUEUE_DONE) return false;
    sci_map_t map = nullptr;
    SCIMapRemoteSegment(remote.segment, &map, 0, kPage, nullptr, 0, &error);
    if (error != SCI_ERR_NOT_SUPPORTED) return false;
    talk.say();
    if (talk.await() != 'r') return false;
    std::memset(source.at, 0, kBytes);
    SCIStartDmaTransfer(queue.handle, local.segment, remote.segment, 0, kBytes, 0, nullptr, nullptr,
                        SCI_FLAG_DMA_READ, &error);
    return wait(queue, &error) == SCI_DMAQUEUE_DONE && holds(source.at, kBytes, 4);
  });
  const TestPages target(kBytes);
  const ExportedSegment exported(1, kBytes, 0, target.at);
  peer.start();
  static_cast<void>(peer.talk().await());
  CHECK(holds(target.at, kBytes, 3));
  fill(target.at, kBytes, 4);
  peer.talk().say('r');
  CHECK(peer.finish());
}

TEST_CASE("registered memory of the same process is copied directly") {
  const TestLibrary library;
  const TestPages target(kPage);
  const TestPages source(kPage);
  const ExportedSegment exported(1, kPage, 0, target.at);
  const ImportedSegment remote(4, 1, false, 1);
  const TestDmaQueue queue(1);
  fill(source.at, kPage, 9);
  sci_error_t error = SCI_ERR_OK;
  SCIStartDmaTransferMem(queue.handle, source.at, remote.segment, kPage, 0, nullptr, nullptr, 0, &error);
  CHECK(SCIDMAQueueState(queue.handle) == SCI_DMAQUEUE_DONE);
  CHECK(holds(target.at, kPage, 9));
}

TEST_CASE("a vector of pieces is one transfer") {
  const TestLibrary library;
  const ExportedSegment source(1, 4 * kPage);
  const ExportedSegment target(2, 4 * kPage, 1);
  const ImportedSegment remote(8, 2, false);
  const TestDmaQueue queue;
  fill(source.at, 4 * kPage, 5);
  dis_dma_vec_t pieces[] = {{100, 0, 3'000, 0}, {1, 2'000, 0, 0}, {5'000, 4'096, 8'192, 0}};
  sci_error_t error = SCI_ERR_OK;
  SCIStartDmaTransferVec(queue.handle, source.segment, remote.segment, 3, pieces, nullptr, nullptr, 0,
                         &error);
  REQUIRE(error == SCI_ERR_OK);
  CHECK(wait(queue, &error) == SCI_DMAQUEUE_DONE);
  CHECK(std::memcmp(target.at + 3'000, source.at, 100) == 0);
  CHECK(target.at[0] == source.at[2'000]);
  CHECK(std::memcmp(target.at + 8'192, source.at + 4'096, 5'000) == 0);
  CHECK(target.at[1] == std::byte{0});
  CHECK(target.at[8'192 + 5'000] == std::byte{0});
  const auto start = [&](std::size_t count) {
    return error_of([&](auto* e) {
      SCIStartDmaTransferVec(queue.handle, source.segment, remote.segment, count, pieces, nullptr, nullptr, 0,
                             e);
    });
  };
  CHECK(start(0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(start(collbench::softntb::kVectorLimit + 1) == SCI_ERR_OUT_OF_RANGE);
  pieces[1].local_offset = 4 * kPage;
  CHECK(start(3) == SCI_ERR_OUT_OF_RANGE);
}

TEST_CASE("a queue refuses what it cannot do") {
  const TestLibrary library;
  const ExportedSegment target(1, 2 * collbench::softntb::kStepBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  const TestDescriptor descriptor;
  std::vector<std::byte> data(2 * collbench::softntb::kStepBytes);
  const auto start = [&](std::size_t bytes, std::size_t offset, unsigned flags) {
    return error_of([&](auto* e) {
      SCIStartDmaTransferMem(queue.handle, data.data(), remote.segment, bytes, offset, nullptr, nullptr,
                             flags, e);
    });
  };
  CHECK(start(0, 0, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(start(data.size(), 1, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(start(1, ~std::size_t{0}, 0) == SCI_ERR_OUT_OF_RANGE);
  CHECK(start(1, 0, 0x80000000) == SCI_ERR_ILLEGAL_FLAG);
  CHECK(start(1, 0, SCI_FLAG_USE_CALLBACK) == SCI_ERR_ILLEGAL_PARAMETER);
  sci_local_segment_t unprepared = nullptr;
  SCICreateSegment(descriptor.handle, &unprepared, 3, kPage, nullptr, nullptr, SCI_FLAG_PRIVATE, nullptr);
  const auto start_from = [&](sci_local_segment_t segment) {
    return error_of([&](auto* e) {
      SCIStartDmaTransfer(queue.handle, segment, remote.segment, 0, kPage, 0, nullptr, nullptr,
                          SCI_FLAG_DMA_WAIT, e);
    });
  };
  CHECK(start_from(unprepared) == SCI_ERR_SEGMENT_NOT_PREPARED);
  SCIPrepareSegment(unprepared, 0, 0, nullptr);
  CHECK(start_from(unprepared) == SCI_ERR_OK);
  CHECK(error_of([&](auto* e) { SCISetSegmentAvailable(unprepared, 0, 0, e); }) == SCI_ERR_ILLEGAL_OPERATION);
  SCIRemoveSegment(unprepared, 0, nullptr);

  const TestLibrary paced_is_not_needed;  // only counts: the session has been initialised already
  CHECK(start(data.size(), 0, 0) == SCI_ERR_OK);
  CHECK(error_of([&](auto* e) { SCIDisconnectSegment(remote.segment, 0, e); }) == SCI_ERR_BUSY);
  CHECK(error_of([&](auto* e) { SCIRemoveDMAQueue(queue.handle, 0, e); }) == SCI_ERR_ILLEGAL_OPERATION);
  CHECK(error_of([&](auto* e) { SCIAbortDMAQueue(queue.handle, 0, e); }) == SCI_ERR_OK);
  CHECK(SCIDMAQueueState(queue.handle) == SCI_DMAQUEUE_ABORTED);
  sci_error_t error = SCI_ERR_OK;
  CHECK(wait(queue, &error) == SCI_DMAQUEUE_ABORTED);
  CHECK(error == SCI_ERR_CANCELLED);
}

TEST_CASE("a transfer in progress keeps its queue busy for as long as the link says") {
  // An hour per byte, so that nothing ends by itself and no assertion depends on the machine's speed.
  const TestLibrary library("custom:gbps=1,dma-start-us=3600000000");
  const ExportedSegment target(1, kPage);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  std::byte data[64] = {};
  const auto start = [&] {
    return error_of([&](auto* e) {
      SCIStartDmaTransferMem(queue.handle, data, remote.segment, sizeof data, 0, nullptr, nullptr, 0, e);
    });
  };
  CHECK(start() == SCI_ERR_OK);
  CHECK(start() == SCI_ERR_BUSY);
  sci_error_t error = SCI_ERR_OK;
  CHECK(SCIWaitForDMAQueue(queue.handle, 1, 0, &error) == SCI_DMAQUEUE_POSTED);
  CHECK(error == SCI_ERR_TIMEOUT);
}

TEST_CASE("adapters that send to one adapter share its link; alone, a transfer arrives as it leaves") {
  constexpr std::size_t kBytes = 1'000'000;
  constexpr std::int64_t kWireNs = 10'000'000;
  const TestLibrary library("custom:gbps=0.1");
  const ExportedSegment target(1, kBytes), other(2, kBytes, 1);
  const TestDmaQueue second(2), third(3);
  std::vector<std::byte> data(kBytes);
  fill(data.data(), kBytes, 5);
  const auto start = [&](const TestDmaQueue& queue, const ImportedSegment& to) {
    return error_of([&](auto* e) {
      SCIStartDmaTransferMem(queue.handle, data.data(), to.segment, kBytes, 0, nullptr, nullptr, 0, e);
    });
  };
  const auto& links = *collbench::softntb::current_session()->links;
  const ImportedSegment from_second(4, 1, false, 2), from_third(4, 1, false, 3), to_other(8, 2, false, 3);
  const std::int64_t begin = collbench::now_ns();
  CHECK(start(second, from_second) == SCI_ERR_OK);
  CHECK(start(third, from_third) == SCI_ERR_OK);
  sci_error_t error = SCI_ERR_OK;
  CHECK(wait(second, &error) == SCI_DMAQUEUE_DONE);
  CHECK(wait(third, &error) == SCI_DMAQUEUE_DONE);
  CHECK(links[0].incoming.free_at_ns() >= begin + 2 * kWireNs);
  CHECK(holds(target.at, kBytes, 5));
  CHECK(start(third, to_other) == SCI_ERR_OK);
  CHECK(wait(third, &error) == SCI_DMAQUEUE_DONE);
  CHECK(links[1].incoming.free_at_ns() == links[3].outgoing.free_at_ns());
}

TEST_CASE("a callback is told of the end, driven by the library") {
  const TestLibrary library;
  constexpr std::size_t kBytes = 5 * collbench::softntb::kStepBytes;
  const ExportedSegment target(1, kBytes);
  const ImportedSegment remote(4, 1, false);
  const TestDmaQueue queue;
  std::vector<std::byte> data(kBytes);
  fill(data.data(), kBytes, 8);
  struct CallbackLog {
    std::mutex mutex;
    std::condition_variable changed;
    int calls = 0;
    sci_error_t status = SCI_ERR_SYSTEM;
  } seen;
  const sci_cb_dma_t on_end = [](void* arg, sci_dma_queue_t, sci_error_t status) {
    auto* to = static_cast<CallbackLog*>(arg);
    const std::lock_guard lock(to->mutex);
    ++to->calls;
    to->status = status;
    to->changed.notify_all();
    return SCI_CALLBACK_CONTINUE;
  };
  for (int round = 1; round <= 3; ++round) {
    sci_error_t error = SCI_ERR_OK;
    SCIStartDmaTransferMem(queue.handle, data.data(), remote.segment, kBytes, 0, on_end, &seen,
                           SCI_FLAG_USE_CALLBACK, &error);
    REQUIRE(error == SCI_ERR_OK);
    std::unique_lock lock(seen.mutex);
    seen.changed.wait(lock, [&] { return seen.calls == round; });
    CHECK(seen.status == SCI_ERR_OK);
    CHECK(SCIDMAQueueState(queue.handle) == SCI_DMAQUEUE_DONE);
  }
  CHECK(holds(target.at, kBytes, 8));
}

TEST_CASE("threads of one process each use their own handles at once") {
  const TestLibrary library;
  constexpr unsigned kThreads = 4;
  std::atomic<int> wrong{0};
  std::vector<std::thread> ranks;
  for (unsigned rank = 0; rank < kThreads; ++rank) {
    ranks.emplace_back([&, rank] {
      const ExportedSegment own_segment(1, 64 * kPage, rank);
      const unsigned next = (rank + 1) % kThreads;
      const TestDescriptor descriptor;
      sci_remote_segment_t remote = nullptr;
      sci_error_t error = SCI_ERR_NO_SUCH_SEGMENT;
      while (error != SCI_ERR_OK) {  // retries like real callers, because the neighbour may not be ready
        SCIConnectSegment(descriptor.handle, &remote, 4 * (next + 1), 1, rank, nullptr, nullptr, 0, 0,
                          &error);
      }
      {
        const TestDmaQueue queue(rank);
        std::vector<std::byte> data(64 * kPage);
        for (unsigned round = 0; round < 50; ++round) {
          fill(data.data(), data.size(), rank + round);
          SCIStartDmaTransferMem(queue.handle, data.data(), remote, data.size(), 0, nullptr, nullptr, 0,
                                 &error);
          if (wait(queue, &error) != SCI_DMAQUEUE_DONE) ++wrong;
        }
      }
      // Our own segment stays until the neighbour that writes into it has disconnected.
      SCIDisconnectSegment(remote, 0, &error);
      sci_segment_cb_reason_t reason = SCI_CB_CONNECT;
      while (reason != SCI_CB_DISCONNECT) {
        reason = SCIWaitForLocalSegmentEvent(own_segment.segment, nullptr, nullptr, SCI_INFINITE_TIMEOUT, 0,
                                             &error);
      }
      if (!holds(own_segment.at, 64 * kPage, (rank + kThreads - 1) % kThreads + 49)) ++wrong;
    });
  }
  for (auto& rank : ranks) rank.join();
  CHECK(wrong == 0);
}
