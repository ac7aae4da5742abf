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

struct Bench {
  explicit Bench(const Target& target);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  /// Segment id that only this process's tests use.
  [[nodiscard]] unsigned id(unsigned n) const;
  /// A legal node id that no node has. @throws Skipped if all are in use
  unsigned absent_node();
  /// Expects SCI_ERR_OK of a call that connects to `node`. @throws Skipped if the card cannot reach its own
  /// node
  void expect_reached(const std::string& what, unsigned node, sci_error_t error) const;

  Library lib;
  unsigned exporter, importer;  // adapter numbers
  unsigned exporter_node, importer_node;  // node ids of the adapters
  int other_end = -1;  // socket to the second process, see run_groups()
  pid_t peer = -1;  // process id of the second process
};

/// Result of SCIOpen, closed at the end. Each resource has its own, because some drivers require it.
struct Descriptor {
  explicit Descriptor(Bench& bench);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Bench& bench;
  sci_desc_t handle = nullptr;
};

/// A local segment of the exporting adapter, only created; the test prepares it.
struct LocalSegment {
  LocalSegment(Bench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
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
  /// The next event: CONNECT, DISCONNECT or another. @throws Failure after kPatienceMs
  sci_segment_cb_reason_t next_event(unsigned* node = nullptr);
  Bench& bench;
  unsigned adapter;
  Descriptor descriptor;
  sci_local_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  std::byte* at = nullptr;
};

/// A mapped local segment to which peers may connect.
struct Exported : LocalSegment {
  Exported(Bench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
           sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
};

/// A segment made of this process's pages to which peers may connect.
/// @throws Skipped if the driver accepts no such memory
struct Registered : LocalSegment {
  Registered(Bench& bench, unsigned id, std::byte* pages, std::size_t bytes);
  Registered(Bench& bench, unsigned id, std::byte* pages, std::size_t bytes, unsigned adapter);
};

/// A connection to a segment of `node`.
struct Imported {
  Imported(Bench& bench, unsigned node, unsigned id, sci_cb_remote_segment_t callback = nullptr,
           void* argument = nullptr);
  ~Imported();
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;
  volatile std::byte* map();  // Maps the whole segment.
  sci_error_t unmap();
  sci_error_t disconnect();
  /// The next event other than CONNECT. @throws Failure after kPatienceMs
  sci_segment_cb_reason_t next_change();
  Bench& bench;
  Descriptor descriptor;
  sci_remote_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  volatile std::byte* at = nullptr;
};
/// Error code of a connection attempt; a successful one is closed at once.
sci_error_t try_connect(Bench& bench, unsigned node, unsigned id, unsigned adapter, unsigned flags = 0);

/// An exported segment and a mapped connection to it.
struct Pair {
  Pair(Bench& bench, std::size_t bytes);
  Exported local;
  Imported remote;
};

/// A DMA queue. @throws Skipped if the adapter has no DMA engine
struct DmaQueue {
  explicit DmaQueue(Bench& bench);
  ~DmaQueue();
  DmaQueue(const DmaQueue&) = delete;
  DmaQueue& operator=(const DmaQueue&) = delete;
  /// Waits until the transfer ends. @throws Failure if it failed
  void finish();
  Bench& bench;
  Descriptor descriptor;
  sci_dma_queue_t handle = nullptr;
};

/// Whole pages of this process.
struct Pages {
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* at = nullptr;
  std::size_t bytes;
};

/// Body of the second process for run_groups().
[[noreturn]] void serve_peer(const Target& target, int socket);

using SisciTest = Test<Bench>;
extern const std::span<const SisciTest> session_tests, query_tests, segment_tests, memory_tests,
    connect_tests, event_tests, map_tests, pio_tests, dma_tests, dma_error_tests, interrupt_tests,
    data_interrupt_tests, peer_tests;

}  // namespace collbench::conformance::sisci
