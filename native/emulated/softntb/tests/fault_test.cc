#include <doctest/doctest.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "harness.h"

using namespace softntb_test;

namespace {

constexpr std::size_t kPage = 4096;

/// Sends one page of 0x77 and returns the state of the queue.
sci_dma_queue_state_t send_memory(const TestDmaQueue& queue, sci_remote_segment_t remote,
                                  sci_error_t* error) {
  static std::byte page[kPage];
  std::memset(page, 0x77, kPage);
  SCIStartDmaTransferMem(queue.handle, page, remote, kPage, 0, nullptr, nullptr, 0, error);
  return *error == SCI_ERR_OK ? SCIWaitForDMAQueue(queue.handle, SCI_INFINITE_TIMEOUT, 0, error)
                              : SCI_DMAQUEUE_IDLE;
}

sci_dma_queue_state_t send_segment(const TestDmaQueue& queue, const ExportedSegment& local,
                                   sci_remote_segment_t remote, sci_error_t* error) {
  SCIStartDmaTransfer(queue.handle, local.segment, remote, 0, kPage, 0, nullptr, nullptr, 0, error);
  return *error == SCI_ERR_OK ? SCIWaitForDMAQueue(queue.handle, SCI_INFINITE_TIMEOUT, 0, error)
                              : SCI_DMAQUEUE_IDLE;
}

int bits_set_otherwise(const std::byte* at, unsigned value) {
  int count = 0;
  for (std::size_t i = 0; i < kPage; ++i)
    count += __builtin_popcount(std::to_integer<unsigned>(at[i]) ^ value);
  return count;
}

}  // namespace

TEST_CASE("no-iommu: registered memory reports success and moves nothing, the rest works") {
  const TestLibrary library("none", "no-iommu");
  const TestPages user_target(kPage);
  const TestPages user_source(kPage);
  std::memset(user_source.at, 0x77, kPage);
  const ExportedSegment registered_target(1, kPage, 0, user_target.at);
  const ExportedSegment registered_source(2, kPage, 0, user_source.at);
  const ExportedSegment plain_target(3, kPage);
  const ExportedSegment plain_source(4, kPage);
  std::memset(plain_source.at, 0x55, kPage);
  const ImportedSegment to_registered(4, 1, false);
  const ImportedSegment to_plain(4, 3);
  const TestDmaQueue queue;
  sci_error_t error = SCI_ERR_OK;

  CHECK(send_segment(queue, plain_source, to_registered.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(user_target.at, 0) == 0);
  CHECK(send_segment(queue, registered_source, to_plain.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(plain_target.at, 0) == 0);
  CHECK(send_segment(queue, plain_source, to_plain.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(plain_target.at, 0x55) == 0);
  CHECK(send_memory(queue, to_plain.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(plain_target.at, 0x77) == 0);
}

TEST_CASE("bit-flip: each n-th transfer differs in one bit") {
  const TestLibrary library("none", "bit-flip:every=2");
  const ExportedSegment target(1, kPage);
  const TestPages user_memory(kPage);
  const ExportedSegment registered(2, kPage, 0, user_memory.at);
  const ImportedSegment remote(4, 1);
  const TestDmaQueue queue;
  sci_error_t error = SCI_ERR_OK;
  CHECK(send_memory(queue, remote.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(target.at, 0x77) == 0);
  CHECK(send_memory(queue, remote.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(bits_set_otherwise(target.at, 0x77) == 1);
  std::vector<std::byte> data(kPage, std::byte{0x11});
  SCIMemCpy(nullptr, data.data(), remote.map, 0, kPage, 0, &error);
  CHECK(bits_set_otherwise(target.at, 0x11) == 0);
  SCIMemCpy(nullptr, data.data(), remote.map, 0, kPage, 0, &error);
  CHECK(bits_set_otherwise(target.at, 0x11) == 1);
}

TEST_CASE("swapped-halves: each n-th transfer arrives with its halves exchanged") {
  const TestLibrary library("none", "swapped-halves:every=2");
  const ExportedSegment target(1, kPage);
  const ExportedSegment source(2, kPage);
  std::memset(source.at, 0x11, kPage / 2);
  std::memset(static_cast<std::byte*>(source.at) + kPage / 2, 0x22, kPage / 2);
  const ImportedSegment remote(4, 1);
  const TestDmaQueue queue;
  sci_error_t error = SCI_ERR_OK;
  const auto* arrived = static_cast<const std::byte*>(target.at);
  CHECK(send_segment(queue, source, remote.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(arrived[0] == std::byte{0x11});
  CHECK(send_segment(queue, source, remote.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(arrived[0] == std::byte{0x22});
  CHECK(arrived[kPage - 1] == std::byte{0x11});
}

TEST_CASE("lost-interrupt: each n-th trigger reports success and does not arrive") {
  const TestLibrary library("none", "lost-interrupt:every=3");
  const TestDescriptor descriptor;
  sci_local_data_interrupt_t local = nullptr;
  sci_remote_data_interrupt_t remote = nullptr;
  unsigned number = 0;
  sci_error_t error = SCI_ERR_OK;
  SCICreateDataInterrupt(descriptor.handle, &local, 0, &number, nullptr, nullptr, 0, &error);
  SCIConnectDataInterrupt(descriptor.handle, &remote, 4, 0, number, 0, 0, &error);
  for (char text = '1'; text <= '6'; ++text) {
    CHECK(error_of([&](auto* e) { SCITriggerDataInterrupt(remote, &text, 1, 0, e); }) == SCI_ERR_OK);
  }
  std::string seen;
  for (;;) {
    char text = 0;
    unsigned length = 1;
    SCIWaitForDataInterrupt(local, &text, &length, 0, 0, &error);
    if (error != SCI_ERR_OK) break;
    seen += text;
  }
  CHECK(seen == "1245");
  SCIDisconnectDataInterrupt(remote, 0, nullptr);
  SCIRemoveDataInterrupt(local, 0, nullptr);
}

TEST_CASE("link-down: after so many bytes transfers, checks and connections fail and everybody is told") {
  const TestLibrary library("none", "link-down:after-bytes=4096");
  const ExportedSegment target(1, kPage);
  const ImportedSegment remote(4, 1);
  const TestDmaQueue queue;
  sci_sequence_t sequence = nullptr;
  SCICreateMapSequence(remote.map, &sequence, 0, nullptr);
  sci_error_t error = SCI_ERR_OK;
  CHECK(send_memory(queue, remote.segment, &error) == SCI_DMAQUEUE_DONE);
  CHECK(SCICheckSequence(sequence, 0, &error) == SCI_SEQ_OK);
  CHECK(send_memory(queue, remote.segment, &error) == SCI_DMAQUEUE_ERROR);
  CHECK(error == SCI_ERR_TRANSFER_FAILED);
  CHECK(SCICheckSequence(sequence, 0, &error) == SCI_SEQ_NOT_RETRIABLE);
  std::byte byte{};
  CHECK(error_of([&](auto* e) { SCIMemCpy(nullptr, &byte, remote.map, 0, 1, 0, e); }) ==
        SCI_ERR_TRANSFER_FAILED);
  sci_error_t status = SCI_ERR_OK;
  CHECK(SCIWaitForRemoteSegmentEvent(remote.segment, &status, 60'000, 0, &error) == SCI_CB_CONNECT);
  CHECK(SCIWaitForRemoteSegmentEvent(remote.segment, &status, 60'000, 0, &error) == SCI_CB_NOT_OPERATIONAL);
  CHECK(status == SCI_ERR_NO_LINK_ACCESS);
  sci_remote_segment_t another = nullptr;
  CHECK(error_of([&](auto* e) {
          SCIConnectSegment(remote.descriptor.handle, &another, 4, 1, 0, nullptr, nullptr, 0, 0, e);
        }) == SCI_ERR_NO_LINK_ACCESS);
  unsigned up = 1;
  sci_query_adapter_t query{0, 0, SCI_Q_ADAPTER_LINK_OPERATIONAL, &up};
  SCIQuery(SCI_Q_ADAPTER, &query, 0, &error);
  CHECK(up == 0);
  SCIRemoveSequence(sequence, 0, nullptr);
}

TEST_CASE("link-down: without a count the link never comes up") {
  const TestLibrary library("none", "link-down");
  const TestDescriptor descriptor;
  CHECK(error_of([&](auto* e) { SCIProbeNode(descriptor.handle, 0, 4, 0, e); }) == SCI_ERR_NO_LINK_ACCESS);
}

TEST_CASE("no-segments: the driver runs out") {
  const TestLibrary library("none", "no-segments:after=1");
  const ExportedSegment first(1, kPage);
  const TestDescriptor descriptor;
  sci_local_segment_t second = nullptr;
  CHECK(error_of([&](auto* e) {
          SCICreateSegment(descriptor.handle, &second, 2, kPage, nullptr, nullptr, 0, e);
        }) == SCI_ERR_NOSPC);
}

TEST_CASE("retriable: each n-th check asks for another try") {
  const TestLibrary library("none", "retriable:every=2");
  const ExportedSegment target(1, kPage);
  const ImportedSegment remote(4, 1);
  sci_sequence_t sequence = nullptr;
  SCICreateMapSequence(remote.map, &sequence, 0, nullptr);
  CHECK(SCICheckSequence(sequence, 0, nullptr) == SCI_SEQ_OK);
  CHECK(SCICheckSequence(sequence, 0, nullptr) == SCI_SEQ_RETRIABLE);
  CHECK(SCICheckSequence(sequence, 0, nullptr) == SCI_SEQ_OK);
  SCIRemoveSequence(sequence, 0, nullptr);
}

TEST_CASE("slow-link: the driver version tells that the figures are slowed") {
  const TestLibrary library("pcie-gen3-x8", "slow-link:factor=4");
  char text[128];
  sci_query_string_t version{text, sizeof text};
  SCIQuery(SCI_Q_SISCI_DRIVER_VERSION, &version, 0, nullptr);
  CHECK(std::string(text) == "softntb (emulated) 1.0, link pcie-gen3-x8 slowed by fault");
}
