// Cost of softntb itself. First the half round trip of stores through a mapped pointer between two processes.
// Then DMA bandwidth from user memory by transfer size; the receiver reads each transfer at once. A tool, not
// part of ctest:
// softntb_bench [link model, default none]
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"
#include "harness.h"

using namespace softntb_test;

namespace {

constexpr std::size_t kMailbox = 4096;
constexpr std::size_t kLargest = std::size_t{4} << 20;
constexpr std::size_t kSlots = 2;

std::atomic_ref<std::uint64_t> word(volatile std::byte* at) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(at)));
}

void await(volatile std::byte* at, std::uint64_t value) {
  collbench::Spinner spinner(300);
  while (word(at).load(std::memory_order_acquire) < value) spinner.step();
}

/// Ping-pong over two slots; round 0 ends it. @returns ns of one way
double ping(volatile std::byte* remote, volatile std::byte* local, std::uint64_t rounds,
            std::uint64_t first) {
  const auto begin = collbench::now_ns();
  for (std::uint64_t round = first; round < first + rounds; ++round) {
    word(remote).store(round, std::memory_order_release);
    SCIFlush(nullptr, 0);
    await(local, round);
  }
  return static_cast<double>(collbench::now_ns() - begin) / static_cast<double>(2 * rounds);
}

void serve(volatile std::byte* remote, volatile std::byte* local, std::uint64_t rounds, std::uint64_t first) {
  for (std::uint64_t round = first; round < first + rounds; ++round) {
    await(local, round);
    word(remote).store(round, std::memory_order_release);
    SCIFlush(nullptr, 0);
  }
}

struct Plan {
  std::size_t bytes;
  std::uint64_t transfers;
};

std::vector<Plan> plans() {
  std::vector<Plan> all;
  for (std::size_t bytes = 4096; bytes <= kLargest; bytes *= 2)
    all.push_back({bytes, (std::uint64_t{512} << 20) / bytes});
  for (Plan& plan : all) plan.transfers = std::min<std::uint64_t>(plan.transfers, 10'000);
  return all;
}

/// Sender of the DMA figure: writes user memory into slots of the receiver's segment; credits return by PIO.
double send(const ImportedSegment& data, const ImportedSegment& mail, volatile std::byte* local,
            const Plan& plan, std::uint64_t first) {
  const TestDmaQueue queue(0);
  std::vector<std::byte> source(kLargest, std::byte{1});
  sci_error_t error = SCI_ERR_OK;
  const auto begin = collbench::now_ns();
  for (std::uint64_t i = first; i < first + plan.transfers; ++i) {
    collbench::Spinner spinner(300);
    while (word(local + 64).load(std::memory_order_acquire) + kSlots < i) spinner.step();
    SCIStartDmaTransferMem(queue.handle, source.data(), data.segment, plan.bytes, (i % kSlots) * kLargest,
                           nullptr, nullptr, 0, &error);
    while (SCIDMAQueueState(queue.handle) == SCI_DMAQUEUE_POSTED) {
    }
    word(mail.at + 64).store(i, std::memory_order_release);
    SCIFlush(nullptr, 0);
  }
  await(local + 64, first + plan.transfers - 1);
  const auto elapsed = static_cast<double>(collbench::now_ns() - begin);
  return static_cast<double>(plan.bytes) * static_cast<double>(plan.transfers) / elapsed;
}

/// Copies every transfer into its own memory, like a receiver without registered buffers.
void receive(const ExportedSegment& data, const ExportedSegment& mail, const ImportedSegment& back,
             const Plan& plan, std::uint64_t first) {
  std::vector<std::byte> sink(kLargest);
  for (std::uint64_t i = first; i < first + plan.transfers; ++i) {
    await(mail.at + 64, i);
    std::memcpy(sink.data(), data.at + (i % kSlots) * kLargest, plan.bytes);
    word(back.at + 64).store(i, std::memory_order_release);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const TestLibrary library(argc > 1 ? argv[1] : "none");
  constexpr std::uint64_t kRounds = 20'000;
  PeerProcess peer([&](const PeerChannel& talk) {
    const TestLibrary joined(TestLibrary::FabricJoin{}, std::getenv("SOFTNTB_LINK"));
    const ExportedSegment mail(1, kMailbox, 1);
    const ExportedSegment data(2, kSlots * kLargest, 1);
    std::memset(data.at, 0, kSlots * kLargest);
    talk.say();
    static_cast<void>(talk.await());
    const ImportedSegment back(4, 1, true, 1);
    talk.say();
    serve(back.at, mail.at, kRounds, 1);
    std::uint64_t first = 1;
    for (const Plan& plan : plans()) {
      receive(data, mail, back, plan, first);
      first += plan.transfers;
    }
    return true;
  });
  peer.start();
  static_cast<void>(peer.talk().await());
  {
    const ExportedSegment mail(1, kMailbox, 0);
    peer.talk().say();
    const ImportedSegment remote_mail(8, 1);
    const ImportedSegment remote_data(8, 2, false);
    static_cast<void>(peer.talk().await());
    std::printf("PIO half round trip: %.0f ns\n", ping(remote_mail.at, mail.at, kRounds, 1));
    std::uint64_t first = 1;
    for (const Plan& plan : plans()) {
      std::printf("DMA %8zu B: %6.2f GB/s\n", plan.bytes,
                  send(remote_data, remote_mail, mail.at, plan, first));
      first += plan.transfers;
    }
    if (!peer.finish()) return 1;
  }
  return 0;
}
