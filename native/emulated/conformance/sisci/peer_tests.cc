// Tests between two processes, each of which opens the library. The second process performs one action per
// letter: 'e' exports, 'i' imports, 'd' disconnects, 'r' removes its segment, 'c' checks and answers bytes,
// 't' triggers a data interrupt.
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "emulated/conformance/runner.h"
#include "emulated/conformance/sisci/data_interrupt.h"
#include "emulated/conformance/sisci/dma_bench.h"

namespace collbench::conformance::sisci {
namespace {

constexpr std::size_t kPeerBytes = 16 * kPage;

struct Order {
  char what = 0;
  unsigned number = 0;  // number of a segment or an interrupt
};
enum class Answer : char { kDone = 1, kWrongBytes };

/// Sends a command to the second process and returns its answer.
/// @throws TestFailure if that process has ended
Answer ask(const SisciBench& bench, char what, unsigned number) {
  put(bench.other_end, Order{what, number});
  return take<Answer>(bench.other_end);
}
void order(const SisciBench& bench, char what, unsigned number) {
  expect(ask(bench, what, number) == Answer::kDone, "the other process finds the bytes that were sent",
         "other bytes");
}

void kill_peer(const SisciBench& bench) {
  kill(bench.peer, SIGKILL);
  waitpid(bench.peer, nullptr, 0);
}

/// Returns a copy of a mapped segment. It reads byte by byte, because an adapter's memory may not be read in
/// larger units.
std::vector<std::byte> copy_of(const volatile std::byte* at) {
  std::vector<std::byte> bytes(kPeerBytes);
  for (std::size_t n = 0; n < kPeerBytes; ++n) bytes[n] = at[n];
  return bytes;
}

void stores(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  remote.map();
  std::vector<std::byte> sent(kPeerBytes), wanted(kPeerBytes);
  fill_pattern(sent.data(), kPeerBytes, 1);
  fill_pattern(wanted.data(), kPeerBytes, 2);
  for (std::size_t n = 0; n < kPeerBytes; ++n) remote.at[n] = sent[n];
  bench.lib.SCIFlush(nullptr, 0U);
  static_cast<void>(remote.at[0]);  // a read waits for earlier writes
  order(bench, 'c', bench.id(1));
  expect_bytes(wanted.data(), copy_of(remote.at).data(), kPeerBytes);
}

void transfers(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  LocalSegment local(bench, bench.id(2), kPeerBytes);
  local.adapter = bench.importer;
  expect_ok("SCIPrepareSegment", local.prepare());
  fill_pattern(local.map(), kPeerBytes, 1);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  TestDmaQueue queue(bench);
  const auto move = [&](unsigned flags) {
    expect_ok("SCIStartDmaTransfer",
              bench.lib.SCIStartDmaTransfer.code(queue.handle, local.handle, remote.handle, std::size_t{0},
                                                 kPeerBytes, std::size_t{0}, nullptr, nullptr, flags));
    queue.finish();
  };
  move(0);
  order(bench, 'c', bench.id(1));
  move(bench.lib.SCI_FLAG_DMA_READ);
  std::vector<std::byte> wanted(kPeerBytes);
  fill_pattern(wanted.data(), kPeerBytes, 2);
  expect_bytes(wanted.data(), local.at, kPeerBytes);
}

void imported_there(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPeerBytes);
  order(bench, 'i', bench.id(1));
  unsigned node = 0;
  expect_equal("SCI_CB_CONNECT:", static_cast<int>(SCI_CB_CONNECT),
               static_cast<int>(local.next_event(&node)));
  expect_equal("the importing node,", bench.importer_node, node);
  std::vector<std::byte> wanted(kPeerBytes);
  fill_pattern(wanted.data(), kPeerBytes, 3);
  expect_bytes(wanted.data(), local.at, kPeerBytes);
  order(bench, 'd', bench.id(1));
  expect_equal("SCI_CB_DISCONNECT:", static_cast<int>(SCI_CB_DISCONNECT),
               static_cast<int>(local.next_event()));
}

void messages(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  order(bench, 't', interrupt.number);
  expect_equal("the message:", std::string("of the other process"), interrupt.receive());
}

void taken_back(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  order(bench, 'r', bench.id(1));
  const auto reason = remote.next_change();
  expect(reason == SCI_CB_DISCONNECT || reason == SCI_CB_LOST, "SCI_CB_DISCONNECT (2) or SCI_CB_LOST (5)",
         std::to_string(reason));
  expect_code("SCIConnectSegment of the removed segment", {SCI_ERR_NO_SUCH_SEGMENT},
              try_connect(bench, bench.exporter_node, bench.id(1), bench.importer));
}

void exporter_dies(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  remote.map();
  kill_peer(bench);
  sci_segment_cb_reason_t reason = remote.next_change();
  if (reason == SCI_CB_NOT_OPERATIONAL) reason = remote.next_change();
  expect(reason == SCI_CB_LOST || reason == SCI_CB_DISCONNECT, "SCI_CB_LOST (5) or SCI_CB_DISCONNECT (2)",
         std::to_string(reason));
  remote.at[0] = std::byte{1};  // must not crash
  bench.lib.SCIFlush(nullptr, 0U);
  expect_code("SCIConnectSegment of the dead process's segment",
              {SCI_ERR_NO_SUCH_SEGMENT, SCI_ERR_NO_SUCH_NODEID},
              try_connect(bench, bench.exporter_node, bench.id(1), bench.importer));
}

void transfer_to_the_dead(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  const TestDmaQueue queue(bench);
  LocalSegment local(bench, bench.id(2), kPeerBytes);
  local.adapter = bench.importer;
  expect_ok("SCIPrepareSegment", local.prepare());
  kill_peer(bench);
  remote.next_change();
  expect_refused("SCIStartDmaTransfer to the dead process's segment",
                 bench.lib.SCIStartDmaTransfer.code(queue.handle, local.handle, remote.handle, std::size_t{0},
                                                    kPage, std::size_t{0}, nullptr, nullptr, 0U));
}

void importer_dies(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPeerBytes);
  order(bench, 'i', bench.id(1));
  expect_equal("SCI_CB_CONNECT:", static_cast<int>(SCI_CB_CONNECT), static_cast<int>(local.next_event()));
  kill_peer(bench);
  const auto reason = local.next_event();
  expect(reason == SCI_CB_LOST || reason == SCI_CB_DISCONNECT, "SCI_CB_LOST (5) or SCI_CB_DISCONNECT (2)",
         std::to_string(reason));
  expect_ok("SCIUnmapSegment", local.unmap());
  expect_ok("SCISetSegmentUnavailable", local.set_unavailable());
  expect_ok("SCIRemoveSegment", local.remove());
}

void id_of_the_dead(SisciBench& bench) {
  order(bench, 'e', bench.id(1));
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  kill_peer(bench);
  remote.next_change();  // this side has noticed the peer's end
  const ExportedSegment mine(bench, bench.id(1), kPage);
  const ImportedSegment again(bench, bench.exporter_node, bench.id(1));
  expect_equal("the size of the new segment,", kPage, bench.lib.SCIGetRemoteSegmentSize(again.handle));
}

constexpr SisciTest kPeerTests[] = {
    {"stores reach another process, and its stores come back", stores},
    {"DMA writes and reads the memory of another process", transfers},
    {"another process imports: its stores arrive, its coming and going is heard", imported_there},
    {"a data interrupt comes from another process", messages},
    {"a segment that another process takes back is left", taken_back},
    {"an exporter that dies is SCI_CB_LOST for its importer, whose map stays harmless", exporter_dies},
    {"DMA to a process that died is refused", transfer_to_the_dead},
    {"an importer that dies is SCI_CB_LOST for its exporter, who can remove the segment", importer_dies},
    {"the segment id of a process that died is free again", id_of_the_dead},
};

struct PeerSegments {
  std::unique_ptr<ExportedSegment> exported;
  std::unique_ptr<ImportedSegment> imported;
};

Answer obey(SisciBench& bench, const Order& order, PeerSegments& held) {
  switch (order.what) {
    case 'e':
      held.exported = std::make_unique<ExportedSegment>(bench, order.number, kPeerBytes);
      return Answer::kDone;
    case 'c': {
      std::vector<std::byte> wanted(kPeerBytes);
      fill_pattern(wanted.data(), kPeerBytes, 1);
      const bool is_right = difference(wanted.data(), held.exported->at, kPeerBytes).empty();
      fill_pattern(held.exported->at, kPeerBytes, 2);
      return is_right ? Answer::kDone : Answer::kWrongBytes;
    }
    case 'r':
      held.exported.reset();
      return Answer::kDone;
    case 'i': {
      held.imported = std::make_unique<ImportedSegment>(bench, bench.exporter_node, order.number);
      std::vector<std::byte> sent(kPeerBytes);
      fill_pattern(sent.data(), kPeerBytes, 3);
      held.imported->map();
      for (std::size_t n = 0; n < kPeerBytes; ++n) held.imported->at[n] = sent[n];
      bench.lib.SCIFlush(nullptr, 0U);
      static_cast<void>(held.imported->at[0]);
      return Answer::kDone;
    }
    case 'd':
      held.imported.reset();
      return Answer::kDone;
    case 't':
      expect_ok("SCITriggerDataInterrupt",
                DataTrigger(bench, bench.exporter_node, order.number).send("of the other process"));
      return Answer::kDone;
    default:
      throw TestFailure{"an order", std::string(1, order.what)};
  }
}

}  // namespace

void serve_peer(const SisciTarget& target, int socket) {
  serve_with<SisciBench>(target, [&](SisciBench& bench) {
    PeerSegments held;
    for (Order next; recv(socket, &next, sizeof next, MSG_WAITALL) == sizeof next;)
      put(socket, obey(bench, next, held));
  });
}

const std::span<const SisciTest> peer_tests = kPeerTests;

}  // namespace collbench::conformance::sisci
