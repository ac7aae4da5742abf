// Interrupts that carry a small message.
#include <string>

#include "emulated/conformance/sisci/blocked_call.h"
#include "emulated/conformance/sisci/data_interrupt.h"

namespace collbench::conformance::sisci {
namespace data_interrupt {
namespace {

void arrives(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  expect_ok("SCITriggerDataInterrupt", trigger.send("eight by"));
  expect_equal("the message:", std::string("eight by"), interrupt.receive());
}

void in_order(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  for (int n = 0; n < 10; ++n)
    expect_ok("SCITriggerDataInterrupt", trigger.send("message " + std::to_string(n)));
  for (int n = 0; n < 10; ++n)
    expect_equal("the message:", "message " + std::to_string(n), interrupt.receive());
}

void wakes(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  char room[64];
  unsigned length = sizeof room;
  BlockedCall waiter([&] {
    return bench.lib.SCIWaitForDataInterrupt.code(interrupt.handle, static_cast<void*>(room), &length,
                                                  kPatienceMs, 0U);
  });
  waiter.await_asleep();
  expect_ok("SCITriggerDataInterrupt", trigger.send("wake up!"));
  expect_ok("SCIWaitForDataInterrupt", waiter.result());
  expect_equal("the message:", std::string("wake up!"), std::string(room, length));
}

void nobody_triggers(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  char room[64];
  unsigned length = sizeof room;
  expect_code(
      "SCIWaitForDataInterrupt of 1 ms", {SCI_ERR_TIMEOUT},
      bench.lib.SCIWaitForDataInterrupt.code(interrupt.handle, static_cast<void*>(room), &length, 1U, 0U));
}

void too_small(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  expect_ok("SCITriggerDataInterrupt", trigger.send("sixteen bytes ..."));
  char room[16];
  std::fill(std::begin(room), std::end(room), 'x');
  unsigned length = 4;
  expect_refused("SCIWaitForDataInterrupt with room for 4 bytes",
                 bench.lib.SCIWaitForDataInterrupt.code(interrupt.handle, static_cast<void*>(room), &length,
                                                        kPatienceMs, 0U));
  expect(room[4] == 'x' && room[15] == 'x', "nothing written past the room", "a byte past it");
}

void too_long(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  expect_refused("SCITriggerDataInterrupt of 1 MiB", trigger.send(std::string(1U << 20, 'x')));
  expect_ok("SCITriggerDataInterrupt after it", trigger.send("eight by"));
  expect_equal("the message:", std::string("eight by"), interrupt.receive());
}

void two_senders(SisciBench& bench) {
  DataInterrupt interrupt(bench);
  DataTrigger first(bench, bench.exporter_node, interrupt.number);
  DataTrigger second(bench, bench.exporter_node, interrupt.number);
  expect_ok("SCITriggerDataInterrupt", first.send("of one"));
  expect_equal("the message:", std::string("of one"), interrupt.receive());
  expect_ok("SCITriggerDataInterrupt", second.send("of two"));
  expect_equal("the message:", std::string("of two"), interrupt.receive());
}

void no_such_number(SisciBench& bench) {
  unsigned number = 0;
  {
    const DataInterrupt interrupt(bench);
    const DataTrigger works(bench, bench.exporter_node, interrupt.number);
    number = interrupt.number;
  }
  const TestDescriptor descriptor(bench);
  sci_remote_data_interrupt_t handle = nullptr;
  expect_refused("SCIConnectDataInterrupt to a removed number",
                 bench.lib.SCIConnectDataInterrupt.code(descriptor.handle, &handle, bench.exporter_node,
                                                        bench.importer, number, 2'000U, 0U));
}

sci_callback_action_t on_data(void* to, sci_local_data_interrupt_t, void* data, unsigned length,
                              sci_error_t status) {
  const std::string text = status == SCI_ERR_OK ? std::string(static_cast<const char*>(data), length) : "";
  static_cast<CallbackLog<std::string>*>(to)->add(text);
  return SCI_CALLBACK_CONTINUE;
}

void called_back(SisciBench& bench) {
  CallbackLog<std::string> seen;
  const DataInterrupt interrupt(bench, on_data, &seen);
  DataTrigger trigger(bench, bench.exporter_node, interrupt.number);
  for (std::size_t n = 0; n < 5; ++n) {
    const std::string text = "message " + std::to_string(n);
    expect_ok("SCITriggerDataInterrupt", trigger.send(text));
    expect_equal("the callback's message", text, seen.at(n));
  }
}

constexpr SisciTest kTests[] = {
    {"a message arrives with its length", arrives},
    {"ten messages arrive in order", in_order},
    {"a message wakes who waits", wakes},
    {"a wait that nobody ends is SCI_ERR_TIMEOUT", nobody_triggers},
    {"a message that is longer than the room is an error and writes nothing past it", too_small},
    {"a message of 1 MiB is refused, and the next one arrives", too_long},
    {"two senders reach one interrupt", two_senders},
    {"a number that does not exist is refused", no_such_number},
    {"a callback gets each message", called_back},
};

}  // namespace
}  // namespace data_interrupt

const std::span<const SisciTest> data_interrupt_tests = data_interrupt::kTests;

}  // namespace collbench::conformance::sisci
