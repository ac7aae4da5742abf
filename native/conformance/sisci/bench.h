#pragma once
// What tests of the SISCI API share: an initialised library and the things that are made with it. Both sides
// of a connection are here; in "processes" the other side is a second process.
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
/// Nothing has this number.
constexpr unsigned kNoAdapter = 9'999, kNoFlag = 0x40000000U;

struct Bench {
  explicit Bench(const Target& target);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  /// Segment ids of this process's tests alone.
  [[nodiscard]] unsigned id(unsigned n) const;
  /// A legal node id that nobody has. @throws Skipped all are taken
  unsigned absent_node();
  /// SCI_ERR_OK of a call that connects to `node`. @throws Skipped a card that cannot reach its own node
  void expect_reached(const std::string& what, unsigned node, sci_error_t error) const;

  Library lib;
  unsigned exporter, importer;            // adapters
  unsigned exporter_node, importer_node;  // their node ids
  int other_end = -1;                     // socket to the second process, see run_groups()
  pid_t peer = -1;                        // that process
};

/// SCIOpen and SCIClose. Each resource has its own: some drivers want that.
struct Descriptor {
  explicit Descriptor(Bench& bench);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Bench& bench;
  sci_desc_t handle = nullptr;
};

/// A local segment of the exporting adapter, created; the rest is up to the test.
struct LocalSegment {
  LocalSegment(Bench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
               sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
  ~LocalSegment();
  LocalSegment(const LocalSegment&) = delete;
  LocalSegment& operator=(const LocalSegment&) = delete;
  sci_error_t prepare();
  sci_error_t set_available();
  sci_error_t set_unavailable(unsigned flags = 0);
  std::byte* map();  // all of it
  sci_error_t unmap();
  sci_error_t remove(unsigned flags = 0);
  /// The next event, CONNECT or DISCONNECT or another. @throws Failure after kPatienceMs
  sci_segment_cb_reason_t next_event(unsigned* node = nullptr);
  Bench& bench;
  unsigned adapter;
  Descriptor descriptor;
  sci_local_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  std::byte* at = nullptr;
};

/// A local segment that may be connected, mapped.
struct Exported : LocalSegment {
  Exported(Bench& bench, unsigned id, std::size_t bytes, unsigned flags = 0,
           sci_cb_local_segment_t callback = nullptr, void* argument = nullptr);
};

/// A segment that may be connected and consists of pages of this process.
/// @throws Skipped the driver takes no such memory
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
  volatile std::byte* map();  // all of it
  sci_error_t unmap();
  sci_error_t disconnect();
  /// The next event that is not CONNECT. @throws Failure after kPatienceMs
  sci_segment_cb_reason_t next_change();
  Bench& bench;
  Descriptor descriptor;
  sci_remote_segment_t handle = nullptr;
  sci_map_t window = nullptr;
  volatile std::byte* at = nullptr;
};
/// Code of a connection attempt; one that succeeds ends at once.
sci_error_t try_connect(Bench& bench, unsigned node, unsigned id, unsigned adapter, unsigned flags = 0);

/// An exported segment with a mapped connection to it.
struct Pair {
  Pair(Bench& bench, std::size_t bytes);
  Exported local;
  Imported remote;
};

/// A DMA queue. @throws Skipped the adapter has no DMA engine
struct DmaQueue {
  explicit DmaQueue(Bench& bench);
  ~DmaQueue();
  DmaQueue(const DmaQueue&) = delete;
  DmaQueue& operator=(const DmaQueue&) = delete;
  /// Waits, and the transfer must have ended well. @throws Failure
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

/// The second process of run_groups().
[[noreturn]] void serve_peer(const Target& target, int socket);

using SisciTest = Test<Bench>;
extern const std::span<const SisciTest> session_tests, query_tests, segment_tests, memory_tests,
    connect_tests, event_tests, map_tests, pio_tests, dma_tests, dma_error_tests, interrupt_tests,
    data_interrupt_tests, peer_tests;

}  // namespace collbench::conformance::sisci
