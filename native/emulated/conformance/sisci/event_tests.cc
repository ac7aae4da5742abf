// Events about the other side, by waiting and by callback.
#include "emulated/conformance/sisci/bench.h"
#include "emulated/conformance/sisci/blocked_call.h"

namespace collbench::conformance::sisci {
namespace event {
namespace {

void expect_reason(const std::string& what, sci_segment_cb_reason_t wanted, sci_segment_cb_reason_t seen) {
  expect_equal(what, static_cast<int>(wanted), static_cast<int>(seen));
}

void exporter_hears(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPage);
  unsigned node = 0;
  {
    const ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
    expect_reason("SCI_CB_CONNECT:", SCI_CB_CONNECT, local.next_event(&node));
    expect_equal("the importing node,", bench.importer_node, node);
  }
  expect_reason("SCI_CB_DISCONNECT:", SCI_CB_DISCONNECT, local.next_event(&node));
  expect_equal("the importing node,", bench.importer_node, node);
}

void nothing_happens(SisciBench& bench) {
  const ExportedSegment local(bench, bench.id(1), kPage);
  unsigned node = 0, adapter = 0;
  expect_code("SCIWaitForLocalSegmentEvent with nothing to hear", {SCI_ERR_TIMEOUT},
              bench.lib.SCIWaitForLocalSegmentEvent.code(local.handle, &node, &adapter, 1U, 0U));
}

void importer_hears(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPage);
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  expect_ok("SCISetSegmentUnavailable with NOTIFY", local.set_unavailable(bench.lib.SCI_FLAG_NOTIFY));
  expect_reason("SCI_CB_DISCONNECT:", SCI_CB_DISCONNECT, remote.next_change());
}

void forced_out(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPage);
  ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  expect_ok("SCISetSegmentUnavailable with FORCE_DISCONNECT",
            local.set_unavailable(bench.lib.SCI_FLAG_FORCE_DISCONNECT));
  const auto reason = remote.next_change();
  expect(reason == SCI_CB_DISCONNECT || reason == SCI_CB_LOST, "SCI_CB_DISCONNECT (2) or SCI_CB_LOST (5)",
         std::to_string(reason));
  sci_map_t map = nullptr;
  expect_refused("SCIMapRemoteSegment of a lost segment",
                 bench.lib.SCIMapRemoteSegment.code(remote.handle, &map, std::size_t{0}, kPage, nullptr, 0U));
}

sci_callback_action_t on_local(void* to, sci_local_segment_t, sci_segment_cb_reason_t reason, unsigned node,
                               unsigned, sci_error_t) {
  static_cast<CallbackLog<std::pair<sci_segment_cb_reason_t, unsigned>>*>(to)->add({reason, node});
  return SCI_CALLBACK_CONTINUE;
}
sci_callback_action_t on_remote(void* to, sci_remote_segment_t, sci_segment_cb_reason_t reason, sci_error_t) {
  static_cast<CallbackLog<sci_segment_cb_reason_t>*>(to)->add(reason);
  return SCI_CALLBACK_CONTINUE;
}

void exporter_callback(SisciBench& bench) {
  CallbackLog<std::pair<sci_segment_cb_reason_t, unsigned>> seen;
  const ExportedSegment local(bench, bench.id(1), kPage, 0, on_local, &seen);
  {
    const ImportedSegment remote(bench, bench.exporter_node, bench.id(1));
  }
  expect_reason("SCI_CB_CONNECT first:", SCI_CB_CONNECT, seen.at(0).first);
  expect_equal("the importing node,", bench.importer_node, seen.at(0).second);
  expect_reason("SCI_CB_DISCONNECT second:", SCI_CB_DISCONNECT, seen.at(1).first);
}

void importer_callback(SisciBench& bench) {
  CallbackLog<sci_segment_cb_reason_t> seen;
  ExportedSegment local(bench, bench.id(1), kPage);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(1), on_remote, &seen);
  expect_ok("SCISetSegmentUnavailable with NOTIFY", local.set_unavailable(bench.lib.SCI_FLAG_NOTIFY));
  std::size_t next = 0;
  auto reason = seen.at(next);
  if (reason == SCI_CB_CONNECT) reason = seen.at(++next);
  expect_reason("SCI_CB_DISCONNECT:", SCI_CB_DISCONNECT, reason);
}

void wait_and_callback(SisciBench& bench) {
  CallbackLog<sci_segment_cb_reason_t> seen;
  const ExportedSegment local(bench, bench.id(1), kPage);
  const ImportedSegment remote(bench, bench.exporter_node, bench.id(1), on_remote, &seen);
  sci_error_t status = SCI_ERR_OK;
  expect_code("SCIWaitForRemoteSegmentEvent of a connection with a callback", {SCI_ERR_ILLEGAL_OPERATION},
              bench.lib.SCIWaitForRemoteSegmentEvent.code(remote.handle, &status, 1U, 0U));
}

void removal_ends_a_wait(SisciBench& bench) {
  ExportedSegment local(bench, bench.id(1), kPage);
  expect_ok("SCIUnmapSegment", local.unmap());
  BlockedCall waiter([&] {
    unsigned node = 0, adapter = 0;
    return bench.lib.SCIWaitForLocalSegmentEvent.code(local.handle, &node, &adapter,
                                                      bench.lib.SCI_INFINITE_TIMEOUT, 0U);
  });
  waiter.await_asleep();
  expect_ok("SCISetSegmentUnavailable", local.set_unavailable());
  expect_ok("SCIRemoveSegment", bench.lib.SCIRemoveSegment.code(local.handle, 0U));
  expect_code("the wait that it ends", {SCI_ERR_CANCELLED}, waiter.result());
  local.handle = nullptr;
}

constexpr SisciTest kTests[] = {
    {"the exporter hears of a connection and its end, with the node", exporter_hears},
    {"a wait for an event ends with SCI_ERR_TIMEOUT", nothing_happens},
    {"the importer hears that a segment is to be left (NOTIFY)", importer_hears},
    {"the importer hears that it was disconnected, and maps nothing more", forced_out},
    {"the exporter's callback gets the events in order", exporter_callback},
    {"the importer's callback gets the end", importer_callback},
    {"a connection with a callback cannot be waited for", wait_and_callback},
    {"SCIRemoveSegment ends a wait with SCI_ERR_CANCELLED", removal_ends_a_wait},
};

}  // namespace
}  // namespace event

const std::span<const SisciTest> event_tests = event::kTests;

}  // namespace collbench::conformance::sisci
