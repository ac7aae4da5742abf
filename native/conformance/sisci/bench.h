#pragma once
// Objects that tests of the SISCI API share: an initialised library and its resources. Both sides of a
// connection are in this process; in the group "processes" the other side is a second process.
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "conformance/bytes.h"
#include "conformance/check.h"
#include "conformance/sisci/library.h"
#include "conformance/sisci/run.h"

namespace collbench::conformance::sisci {

constexpr std::size_t kPage = 4096;
constexpr unsigned kPatienceMs = 10'000;
/// Numbers that no adapter and no flag has.
constexpr unsigned kNoAdapter = 9'999, kNoFlag = 0x40000000U;

struct SisciBench {
  explicit SisciBench(const SisciTarget& target);
  ~SisciBench();
  SisciBench(const SisciBench&) = delete;
  SisciBench& operator=(const SisciBench&) = delete;
  /// Segment id that only this process's tests use.
  [[nodiscard]] unsigned id(unsigned n) const;
  /// A legal node id that no node has. @throws TestSkipped if all are in use
  unsigned absent_node();
  /// Expects SCI_ERR_OK of a call that connects to `node`. @throws TestSkipped if the card cannot reach its
  /// own node
  void expect_reached(const std::string& what, unsigned node, sci_error_t error) const;

  Library lib;
  unsigned exporter, importer;            // adapter numbers
  unsigned exporter_node, importer_node;  // node ids of the adapters
  int other_end = -1;                     // socket to the second process, see run_groups()
  pid_t peer = -1;                        // process id of the second process
};

/// Result of SCIOpen, closed at the end. Each resource has its own, because some drivers require it.
struct TestDescriptor {
  explicit TestDescriptor(SisciBench& bench);
  ~TestDescriptor();
  TestDescriptor(const TestDescriptor&) = delete;
  TestDescriptor& operator=(const TestDescriptor&) = delete;
  SisciBench& bench;
  sci_desc_t handle = nullptr;
};

/// A local segment of the exporting adapter, only created; the test prepares it.
struct LocalSegment {
  LocalSegment(SisciBench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
               sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
  ~LocalSegment();
  LocalSegment(const LocalSegment&) = delete;
  LocalSegment& operator=(const LocalSegment&) = delete;
  sci_error_t prepare();
  sci_error_t set_available();
  sci_error_t set_unavailable(unsigned flags = 0);
  std::byte* map();  // Maps the whole segment.
  sci_error_t unmap();
  sci_error_t remove(unsigned flags = 0);
  /// The next event: CONNECT, DISCONNECT or another. @throws TestFailure after kPatienceMs
  sci_segment_cb_reason_t next_event(unsigned* node = nullptr);
  SisciBench& bench;
  unsigned adapter;
  TestDescriptor descriptor;
  sci_local_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  std::byte* at = nullptr;
};

/// A mapped local segment to which peers may connect.
struct ExportedSegment : LocalSegment {
  ExportedSegment(SisciBench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
                  sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
};

/// A segment made of this process's pages to which peers may connect.
/// @throws TestSkipped if the driver accepts no such memory
struct RegisteredSegment : LocalSegment {
  RegisteredSegment(SisciBench& bench, unsigned id, std::byte* pages, std::size_t bytes);
  RegisteredSegment(SisciBench& bench, unsigned id, std::byte* pages, std::size_t bytes, unsigned adapter);
};

/// A connection to a segment of `node`.
struct ImportedSegment {
  ImportedSegment(SisciBench& bench, unsigned node, unsigned id, sci_cb_remote_segment_t callback = nullptr,
                  void* argument = nullptr);
  ~ImportedSegment();
  ImportedSegment(const ImportedSegment&) = delete;
  ImportedSegment& operator=(const ImportedSegment&) = delete;
  volatile std::byte* map();  // Maps the whole segment.
  sci_error_t unmap();
  sci_error_t disconnect();
  /// The next event other than CONNECT. @throws TestFailure after kPatienceMs
  sci_segment_cb_reason_t next_change();
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_remote_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  volatile std::byte* at = nullptr;
};
/// Error code of a connection attempt; a successful one is closed at once.
sci_error_t try_connect(SisciBench& bench, unsigned node, unsigned id, unsigned adapter, unsigned flags = 0);

/// An exported segment and a mapped connection to it.
struct ConnectedSegments {
  ConnectedSegments(SisciBench& bench, std::size_t bytes);
  ExportedSegment local;
  ImportedSegment remote;
};

/// A DMA queue. @throws TestSkipped if the adapter has no DMA engine
struct TestDmaQueue {
  explicit TestDmaQueue(SisciBench& bench);
  ~TestDmaQueue();
  TestDmaQueue(const TestDmaQueue&) = delete;
  TestDmaQueue& operator=(const TestDmaQueue&) = delete;
  /// Waits until the transfer ends. @throws TestFailure if it failed
  void finish();
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_dma_queue_t handle = nullptr;
};

/// Whole pages of this process.
struct TestPages {
  explicit TestPages(std::size_t bytes);
  ~TestPages();
  TestPages(const TestPages&) = delete;
  TestPages& operator=(const TestPages&) = delete;
  std::byte* at = nullptr;
  std::size_t bytes;
};

/// Body of the second process for run_groups().
[[noreturn]] void serve_peer(const SisciTarget& target, int socket);

using SisciTest = Test<SisciBench>;
extern const std::span<const SisciTest> session_tests, query_tests, segment_tests, memory_tests,
    connect_tests, event_tests, map_tests, pio_tests, dma_tests, dma_error_tests, interrupt_tests,
    data_interrupt_tests, peer_tests;

}  // namespace collbench::conformance::sisci
