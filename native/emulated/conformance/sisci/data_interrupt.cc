#include "emulated/conformance/sisci/data_interrupt.h"

namespace collbench::conformance::sisci {

DataInterrupt::DataInterrupt(SisciBench& its_bench, sci_cb_data_interrupt_t callback, void* argument)
    : bench(its_bench), descriptor(its_bench) {
  const unsigned flags = callback == nullptr ? 0U : bench.lib.SCI_FLAG_USE_CALLBACK;
  expect_offered("SCICreateDataInterrupt",
                 bench.lib.SCICreateDataInterrupt.code(descriptor.handle, &handle, bench.exporter, &number,
                                                       callback, argument, flags));
}

DataInterrupt::~DataInterrupt() {
  if (handle != nullptr) bench.lib.SCIRemoveDataInterrupt.code(handle, 0U);
}

std::string DataInterrupt::receive() {
  char room[256];
  unsigned length = sizeof room;
  expect_ok("SCIWaitForDataInterrupt", bench.lib.SCIWaitForDataInterrupt.code(
                                           handle, static_cast<void*>(room), &length, kPatienceMs, 0U));
  return {room, std::min<std::size_t>(length, sizeof room)};
}

DataTrigger::DataTrigger(SisciBench& its_bench, unsigned node, unsigned number)
    : bench(its_bench), descriptor(its_bench) {
  bench.expect_reached("SCIConnectDataInterrupt", node,
                       bench.lib.SCIConnectDataInterrupt.code(descriptor.handle, &handle, node,
                                                              bench.importer, number, kPatienceMs, 0U));
}

DataTrigger::~DataTrigger() {
  if (handle != nullptr) bench.lib.SCIDisconnectDataInterrupt.code(handle, 0U);
}

sci_error_t DataTrigger::send(std::string text) {
  return bench.lib.SCITriggerDataInterrupt.code(handle, static_cast<void*>(text.data()),
                                                static_cast<unsigned>(text.size()), 0U);
}

}  // namespace collbench::conformance::sisci
