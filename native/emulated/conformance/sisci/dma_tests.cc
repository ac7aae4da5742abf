// DMA queues: what they move, and how completion is reported.
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "emulated/conformance/sisci/blocked_call.h"
#include "emulated/conformance/sisci/dma_bench.h"

namespace collbench::conformance::sisci {
namespace dma {
namespace {

constexpr std::size_t kLarge = (std::size_t{8} << 20) + 4'096;

int state(const DmaBench& dma) { return dma.bench.lib.SCIDMAQueueState(dma.queue.handle); }

void push(SisciBench& bench) {
  DmaBench dma(bench);
  expect_equal("state IDLE:", static_cast<int>(SCI_DMAQUEUE_IDLE), state(dma));
  expect_ok("SCIStartDmaTransfer", dma.start(kPage, kPage, 2 * kPage));
  dma.queue.finish();
  expect_bytes(dma.source.at + kPage, dma.target.at + 2 * kPage, kPage);
  expect(dma.target.at[2 * kPage - 1] == std::byte{} && dma.target.at[3 * kPage] == std::byte{},
         "bytes around it untouched", "written");
}

void pull(SisciBench& bench) {
  DmaBench dma(bench);
  fill_pattern(dma.target.at, dma.bytes, 2);
  expect_ok("SCIStartDmaTransfer with DMA_READ", dma.start(0, kPage, kPage, bench.lib.SCI_FLAG_DMA_READ));
  dma.queue.finish();
  expect_bytes(dma.target.at + kPage, dma.source.at, kPage);
  std::vector<std::byte> wanted(dma.bytes);
  fill_pattern(wanted.data(), dma.bytes, 1);
  expect_bytes(wanted.data() + kPage, dma.source.at + kPage, dma.bytes - kPage);
}

void polled(SisciBench& bench) {
  DmaBench dma(bench);
  expect_ok("SCIStartDmaTransfer", dma.start(0, dma.bytes, 0));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (state(dma) == SCI_DMAQUEUE_POSTED && std::chrono::steady_clock::now() < deadline) {
  }
  expect_equal("state DONE:", static_cast<int>(SCI_DMAQUEUE_DONE), state(dma));
  expect_equal("and again:", static_cast<int>(SCI_DMAQUEUE_DONE), state(dma));
  expect_bytes(dma.source.at, dma.target.at, dma.bytes);
}

void waited_for(SisciBench& bench) {
  DmaBench dma(bench);
  expect_offered("SCIStartDmaTransfer with DMA_WAIT",
                 dma.start(0, dma.bytes, 0, bench.lib.SCI_FLAG_DMA_WAIT));
  expect_bytes(dma.source.at, dma.target.at, dma.bytes);
}

void large(SisciBench& bench) {
  DmaBench dma(bench, kLarge);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kLarge, 0));
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, kLarge);
}

void crooked(SisciBench& bench) {
  DmaBench dma(bench);
  for (const std::size_t bytes : {1UL, 7UL, 64UL, 1000UL})
    for (const std::size_t offset : {0UL, 1UL, 64UL}) {
      const sci_error_t error = dma.start(offset, bytes, 2 * kPage + offset);
      const std::string what =
          "SCIStartDmaTransfer of " + std::to_string(bytes) + " B at offset " + std::to_string(offset);
      if (bytes % 64 == 0 && offset % 64 == 0)
        expect_ok(what, error);
      else
        expect_code(what, {SCI_ERR_OK, SCI_ERR_SIZE_ALIGNMENT, SCI_ERR_OFFSET_ALIGNMENT}, error);
      if (error != SCI_ERR_OK) continue;
      dma.queue.finish();
      expect_bytes(dma.source.at + offset, dma.target.at + 2 * kPage + offset, bytes);
    }
}

void reused(SisciBench& bench) {
  DmaBench dma(bench);
  for (unsigned round = 0; round < 200; ++round) {
    fill_pattern(dma.source.at, kPage, round);
    const std::size_t offset = round % 4 * kPage;
    expect_ok("SCIStartDmaTransfer", dma.start(0, kPage, offset));
    dma.queue.finish();
    expect_bytes(dma.source.at, dma.target.at + offset, kPage);
  }
}

void several_queues(SisciBench& bench) {
  DmaBench dma(bench);
  std::array<std::unique_ptr<TestDmaQueue>, 3> more;
  for (auto& queue : more) queue = std::make_unique<TestDmaQueue>(bench);
  expect_ok("SCIStartDmaTransfer", dma.start(0, kPage, 0));
  for (std::size_t n = 0; n < more.size(); ++n)
    expect_ok(
        "SCIStartDmaTransfer of another queue",
        bench.lib.SCIStartDmaTransfer.code(more[n]->handle, dma.source.handle, dma.remote.handle,
                                           (n + 1) * kPage, kPage, (n + 1) * kPage, nullptr, nullptr, 0U));
  for (auto& queue : more) queue->finish();
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, dma.bytes);
}

sci_callback_action_t on_end(void* to, sci_dma_queue_t, sci_error_t status) {
  static_cast<CallbackLog<sci_error_t>*>(to)->add(status);
  return SCI_CALLBACK_CONTINUE;
}

void called_back(SisciBench& bench) {
  CallbackLog<sci_error_t> seen;
  DmaBench dma(bench);
  for (std::size_t round = 0; round < 5; ++round) {
    fill_pattern(dma.source.at, dma.bytes, static_cast<unsigned>(round) + 10);
    expect_ok("SCIStartDmaTransfer with a callback",
              dma.start(0, dma.bytes, 0, bench.lib.SCI_FLAG_USE_CALLBACK, on_end, &seen));
    expect_ok("the callback's status", seen.at(round));
    expect_equal("state DONE:", static_cast<int>(SCI_DMAQUEUE_DONE), state(dma));
    expect_bytes(dma.source.at, dma.target.at, dma.bytes);
  }
  expect_equal("calls of the callback:", std::size_t{5}, seen.count());
}

void vector(SisciBench& bench) {
  DmaBench dma(bench);
  dis_dma_vec_t pieces[] = {{64, 0, 3'072, 0}, {128, 2'048, 0, 0}, {kPage, kPage, 2 * kPage, 0}};
  expect_offered("SCIStartDmaTransferVec", dma.start_vector(3, pieces));
  dma.queue.finish();
  for (const dis_dma_vec_t& piece : pieces)
    expect_bytes(dma.source.at + piece.local_offset, dma.target.at + piece.remote_offset, piece.size);
  expect(dma.target.at[128] == std::byte{} && dma.target.at[3 * kPage] == std::byte{},
         "bytes around them untouched", "written");
}

void user_memory(SisciBench& bench) {
  DmaBench dma(bench);
  const TestPages pages(2 * kPage);
  fill_pattern(pages.at, pages.bytes, 5);
  expect_offered("SCIStartDmaTransferMem", dma.start_memory(pages.at, kPage, kPage));
  dma.queue.finish();
  expect_bytes(pages.at, dma.target.at + kPage, kPage);
  fill_pattern(dma.target.at, kPage, 6);
  expect_ok("SCIStartDmaTransferMem with DMA_READ",
            dma.start_memory(pages.at + kPage, kPage, 0, bench.lib.SCI_FLAG_DMA_READ));
  dma.queue.finish();
  expect_bytes(dma.target.at, pages.at + kPage, kPage);
}

/// Checks that a DMA transfer has moved the data.
/// @throws TestSkipped on a machine without IOMMU, where a Dolphin adapter reports success for registered
/// memory and moves nothing; TestFailure if the data differs
void expect_moved(const SisciBench& bench, const std::byte* wanted, const std::byte* seen,
                  std::size_t bytes) {
  std::error_code missing;
  const bool has_iommu = !std::filesystem::is_empty("/sys/kernel/iommu_groups", missing) && !missing;
  if (!bench.lib.is_emulated && !has_iommu && !difference(wanted, seen, bytes).empty())
    throw TestSkipped{"no IOMMU: the adapter cannot reach registered memory. Enable VT-d or AMD-Vi"};
  expect_bytes(wanted, seen, bytes);
}

void registered_source(SisciBench& bench) {
  DmaBench dma(bench);
  const TestPages pages(2 * kPage);
  fill_pattern(pages.at, pages.bytes, 7);
  const RegisteredSegment from(bench, bench.id(3), pages.at, pages.bytes, bench.importer);
  expect_ok("SCIStartDmaTransfer",
            bench.lib.SCIStartDmaTransfer.code(dma.queue.handle, from.handle, dma.remote.handle, kPage, kPage,
                                               std::size_t{0}, nullptr, nullptr, 0U));
  dma.queue.finish();
  expect_moved(bench, pages.at + kPage, dma.target.at, kPage);
}

void registered_target(SisciBench& bench) {
  DmaBench dma(bench);
  const TestPages pages(2 * kPage);
  const RegisteredSegment to(bench, bench.id(3), pages.at, pages.bytes);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(3));
  const auto start = [&](std::size_t local_offset, std::size_t remote_offset, unsigned flags) {
    expect_ok("SCIStartDmaTransfer", bench.lib.SCIStartDmaTransfer.code(
                                         dma.queue.handle, dma.source.handle, remote.handle, local_offset,
                                         kPage, remote_offset, nullptr, nullptr, flags));
    dma.queue.finish();
  };
  start(0, kPage, 0U);
  expect_moved(bench, dma.source.at, pages.at + kPage, kPage);
  fill_pattern(pages.at, kPage, 8);
  start(2 * kPage, 0, bench.lib.SCI_FLAG_DMA_READ);
  expect_bytes(pages.at, dma.source.at + 2 * kPage, kPage);
}

void channels(SisciBench& bench) {
  DmaBench dma(bench);
  const TestDescriptor descriptor(bench);
  sci_dma_channel_t channel = nullptr;
  expect_offered(
      "SCIRequestDMAChannel",
      bench.lib.SCIRequestDMAChannel.code(descriptor.handle, &channel, bench.importer, SCI_DMA_TYPE_DONTCARE,
                                          bench.lib.SCI_DMA_CHANNEL_ID_DONTCARE, 0U));
  expect_ok("SCIAssignDMAChannel", bench.lib.SCIAssignDMAChannel.code(channel, dma.queue.handle, 0U));
  expect_ok("SCIStartDmaTransfer", dma.start(0, kPage, 0));
  dma.queue.finish();
  expect_bytes(dma.source.at, dma.target.at, kPage);
  expect_ok("SCIReturnDMAChannel", bench.lib.SCIReturnDMAChannel.code(channel));
}

constexpr SisciTest kTests[] = {
    {"a transfer writes what it names and nothing else", push},
    {"a transfer with DMA_READ reads", pull},
    {"SCIDMAQueueState goes from POSTED to DONE and stays", polled},
    {"DMA_WAIT returns when the bytes are there", waited_for},
    {"8 MiB arrive", large},
    {"any size and offset is right, or refused for its alignment", crooked},
    {"a queue carries 200 transfers, one after the other", reused},
    {"four queues work at once", several_queues},
    {"a callback is called once per transfer, when the bytes are there", called_back},
    {"a vector of pieces is one transfer", vector},
    {"SCIStartDmaTransferMem moves plain memory both ways", user_memory},
    {"registered memory is read", registered_source},
    {"registered memory of the other side is written and read", registered_target},
    {"a queue works with a channel of its own", channels},
};

}  // namespace
}  // namespace dma

const std::span<const SisciTest> dma_tests = dma::kTests;

}  // namespace collbench::conformance::sisci
