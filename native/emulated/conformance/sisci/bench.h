#pragma once
// Objects that tests of the SISCI API share: an initialised library and its resources. Both sides of a
// connection are in this process; in the group "processes" the other side is a second process.
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "emulated/conformance/check.h"
#include "emulated/conformance/sisci/library.h"

namespace collbench::conformance::sisci {

/// The SISCI library to test, and the numbers of two adapters, which may be equal. Segments are exported at
/// one and imported at the other.
struct SisciTarget {
  std::string path;  // argument of SisciLibrary::open
  unsigned exporter = 0, importer = 0;
};

/// Reads the adapter numbers from text: "0,1" = exporter and importer; "0" = the same adapter for both.
/// @returns false for other text
bool read_adapters(const std::string& text, SisciTarget* target);

constexpr std::size_t kPage = 4096;
/// Longest wait for a call of the library in ms; a limit for hangs, since other programs may use the
/// processors.
constexpr unsigned kPatienceMs = 30'000;
/// An adapter number and a flag that do not exist, for tests of invalid arguments.
constexpr unsigned kNoAdapter = 9'999, kNoFlag = 0x40000000U;

/// The SISCI library under test, opened and initialised, with the two adapters of the tests.
struct SisciBench {
  explicit SisciBench(const SisciTarget& target);
  ~SisciBench();
  SisciBench(const SisciBench&) = delete;
  SisciBench& operator=(const SisciBench&) = delete;
  /// Returns a segment id that no other process's tests use.
  /// @param n distinguishes the segments of one test
  [[nodiscard]] unsigned id(unsigned n) const;
  /// Returns a valid node id that no node has.
  /// @throws TestSkipped if all are in use
  unsigned absent_node();
  /// Checks the result of a call that connects to `node`.
  /// @throws TestSkipped if the adapter cannot reach its own node; TestFailure for other errors
  void expect_reached(const std::string& what, unsigned node, sci_error_t error) const;

  SisciLibrary lib;
  unsigned exporter, importer;            // adapter numbers
  unsigned exporter_node, importer_node;  // node ids of the adapters
  int other_end = -1;                     // socket to the second process, see run_groups()
  pid_t peer = -1;                        // process id of the second process
};

/// A descriptor of SCIOpen, closed when destroyed. Each resource has its own, because some drivers require
/// that.
struct TestDescriptor {
  explicit TestDescriptor(SisciBench& bench);
  ~TestDescriptor();
  TestDescriptor(const TestDescriptor&) = delete;
  TestDescriptor& operator=(const TestDescriptor&) = delete;
  SisciBench& bench;
  sci_desc_t handle = nullptr;
};

/// A shared segment of this process at the exporting adapter, to which peers can connect. The constructor
/// only calls SCICreateSegment. The test itself must call prepare() and set_available().
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
  /// Waits for the next event of the segment: CONNECT, DISCONNECT or another.
  /// @param node receives the node that caused it; may be nullptr
  /// @throws TestFailure after 30 seconds
  sci_segment_cb_reason_t next_event(unsigned* node = nullptr);
  SisciBench& bench;
  unsigned adapter;
  TestDescriptor descriptor;
  sci_local_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  std::byte* at = nullptr;
};

/// A segment that is mapped here and to which peers may connect.
struct ExportedSegment : LocalSegment {
  ExportedSegment(SisciBench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
                  sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
};

/// A segment that consists of pages of this process and to which peers may connect.
/// @throws TestSkipped if the driver accepts no such memory
struct RegisteredSegment : LocalSegment {
  RegisteredSegment(SisciBench& bench, unsigned id, std::byte* pages, std::size_t bytes);
  RegisteredSegment(SisciBench& bench, unsigned id, std::byte* pages, std::size_t bytes, unsigned adapter);
};

/// A connection of the tests' importing adapter to segment `id` of `node`.
struct ImportedSegment {
  ImportedSegment(SisciBench& bench, unsigned node, unsigned id, sci_cb_remote_segment_t callback = nullptr,
                  void* argument = nullptr);
  ~ImportedSegment();
  ImportedSegment(const ImportedSegment&) = delete;
  ImportedSegment& operator=(const ImportedSegment&) = delete;
  volatile std::byte* map();  // Maps the whole segment.
  sci_error_t unmap();
  sci_error_t disconnect();
  /// Waits for the next event other than CONNECT.
  /// @throws TestFailure after 30 seconds
  sci_segment_cb_reason_t next_change();
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_remote_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  volatile std::byte* at = nullptr;
};
/// Tries to connect to a segment and returns the error code. A connection that was made is closed at once.
sci_error_t try_connect(SisciBench& bench, unsigned node, unsigned id, unsigned adapter, unsigned flags = 0);

/// A SISCI segment and a mapped connection to it, both in this process.
struct ConnectedSegments {
  ConnectedSegments(SisciBench& bench, std::size_t bytes);
  ExportedSegment local;
  ImportedSegment remote;
};

/// A SISCI DMA queue of the tests' importing adapter.
/// @throws TestSkipped if the adapter has no DMA engine
struct TestDmaQueue {
  explicit TestDmaQueue(SisciBench& bench);
  ~TestDmaQueue();
  TestDmaQueue(const TestDmaQueue&) = delete;
  TestDmaQueue& operator=(const TestDmaQueue&) = delete;
  /// Waits until the DMA transfer of this queue has ended.
  /// @throws TestFailure if it failed or has not ended after 30 seconds
  void finish();
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_dma_queue_t handle = nullptr;
};

/// Ordinary memory of this process in whole pages, which tests register as a segment or use for DMA.
struct TestPages {
  explicit TestPages(std::size_t bytes);
  ~TestPages();
  TestPages(const TestPages&) = delete;
  TestPages& operator=(const TestPages&) = delete;
  std::byte* at = nullptr;
  std::size_t bytes;
};

/// Runs in the second process of tests that need one: obeys commands from `socket`.
[[noreturn]] void serve_peer(const SisciTarget& target, int socket);

using SisciTest = Test<SisciBench>;
extern const std::span<const SisciTest> session_tests, query_tests, segment_tests, memory_tests,
    connect_tests, event_tests, map_tests, pio_tests, dma_tests, dma_error_tests, interrupt_tests,
    data_interrupt_tests, peer_tests;

}  // namespace collbench::conformance::sisci
