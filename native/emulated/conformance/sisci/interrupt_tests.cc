// Interrupts without data.
#include "emulated/conformance/sisci/bench.h"
#include "emulated/conformance/sisci/blocked_call.h"

namespace collbench::conformance::sisci {
namespace interrupt {
namespace {

/// An interrupt at the exporting adapter.
struct Interrupt {
  Interrupt(SisciBench& its_bench, unsigned flags = 0, sci_cb_interrupt_t callback = nullptr,
            void* argument = nullptr)
      : bench(its_bench), descriptor(its_bench) {
    if (callback != nullptr) flags |= bench.lib.SCI_FLAG_USE_CALLBACK;
    expect_offered("SCICreateInterrupt",
                   bench.lib.SCICreateInterrupt.code(descriptor.handle, &handle, bench.exporter, &number,
                                                     callback, argument, flags));
  }
  ~Interrupt() { remove(); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  sci_error_t remove() {
    const sci_error_t error = handle == nullptr ? SCI_ERR_OK : bench.lib.SCIRemoveInterrupt.code(handle, 0U);
    handle = nullptr;
    return error;
  }
  sci_error_t wait(unsigned timeout_ms = kPatienceMs) {
    return bench.lib.SCIWaitForInterrupt.code(handle, timeout_ms, 0U);
  }
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_local_interrupt_t handle = nullptr;
  unsigned number = 0;
};

/// Connection of the importing adapter to an interrupt, to trigger it.
struct Trigger {
  explicit Trigger(const Interrupt& interrupt) : bench(interrupt.bench), descriptor(interrupt.bench) {
    bench.expect_reached(
        "SCIConnectInterrupt", bench.exporter_node,
        bench.lib.SCIConnectInterrupt.code(descriptor.handle, &handle, bench.exporter_node, bench.importer,
                                           interrupt.number, kPatienceMs, 0U));
  }
  ~Trigger() {
    if (handle != nullptr) bench.lib.SCIDisconnectInterrupt.code(handle, 0U);
  }
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  sci_error_t pull() { return bench.lib.SCITriggerInterrupt.code(handle, 0U); }
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_remote_interrupt_t handle = nullptr;
};

sci_error_t connect(SisciBench& bench, unsigned node, unsigned number, unsigned adapter) {
  const TestDescriptor descriptor(bench);
  sci_remote_interrupt_t handle = nullptr;
  const sci_error_t error =
      bench.lib.SCIConnectInterrupt.code(descriptor.handle, &handle, node, adapter, number, 2'000U, 0U);
  if (error == SCI_ERR_OK) bench.lib.SCIDisconnectInterrupt.code(handle, 0U);
  return error;
}

void wakes(SisciBench& bench) {
  Interrupt interrupt(bench);
  Trigger trigger(interrupt);
  BlockedCall waiter([&] { return interrupt.wait(); });
  waiter.await_asleep();
  expect_ok("SCITriggerInterrupt", trigger.pull());
  expect_ok("SCIWaitForInterrupt", waiter.result());
}

void not_lost(SisciBench& bench) {
  Interrupt interrupt(bench);
  Trigger trigger(interrupt);
  for (int round = 0; round < 100; ++round) {
    expect_ok("SCITriggerInterrupt", trigger.pull());
    expect_ok("SCIWaitForInterrupt, round " + std::to_string(round), interrupt.wait());
  }
}

void nobody_triggers(SisciBench& bench) {
  Interrupt interrupt(bench);
  expect_code("SCIWaitForInterrupt of 1 ms", {SCI_ERR_TIMEOUT}, interrupt.wait(1));
}

void counted(SisciBench& bench) {
  Interrupt interrupt(bench, bench.lib.SCI_FLAG_COUNTING_INT);
  Trigger trigger(interrupt);
  for (int n = 0; n < 3; ++n) expect_ok("SCITriggerInterrupt", trigger.pull());
  for (int n = 0; n < 3; ++n) expect_ok("SCIWaitForInterrupt", interrupt.wait());
  expect_code("a fourth wait", {SCI_ERR_TIMEOUT}, interrupt.wait(1));
}

void own_numbers(SisciBench& bench) {
  const Interrupt first(bench), second(bench);
  expect(first.number != second.number, "a number of its own", std::to_string(second.number) + " again");
}

void fixed_number(SisciBench& bench) {
  unsigned number = 0;
  {
    number = Interrupt(bench).number;
  }  // number assigned by the driver
  const TestDescriptor descriptor(bench);
  sci_local_interrupt_t first = nullptr, second = nullptr;
  const auto create = [&](sci_local_interrupt_t* to) {
    return bench.lib.SCICreateInterrupt.code(descriptor.handle, to, bench.exporter, &number, nullptr, nullptr,
                                             bench.lib.SCI_FLAG_FIXED_INTNO);
  };
  const unsigned wanted = number;
  expect_offered("SCICreateInterrupt with FIXED_INTNO", create(&first));
  expect_equal("the number that was asked for,", wanted, number);
  expect_refused("the same number again", create(&second));
  expect_ok("SCIRemoveInterrupt", bench.lib.SCIRemoveInterrupt.code(first, 0U));
  expect_ok("the number after SCIRemoveInterrupt", create(&second));
  expect_ok("SCIRemoveInterrupt", bench.lib.SCIRemoveInterrupt.code(second, 0U));
}

void no_such_number(SisciBench& bench) {
  unsigned number = 0;
  {
    const Interrupt interrupt(bench);
    const Trigger works(interrupt);
    number = interrupt.number;
  }
  expect_refused("SCIConnectInterrupt to a removed number",
                 connect(bench, bench.exporter_node, number, bench.importer));
}

void no_such_node(SisciBench& bench) {
  expect_refused("SCIConnectInterrupt to a node that nobody has",
                 connect(bench, bench.absent_node(), 1, bench.importer));
}

void no_such_adapter(SisciBench& bench) {
  expect_code("SCIConnectInterrupt through adapter 9999",
              {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              connect(bench, bench.exporter_node, 1, kNoAdapter));
  const TestDescriptor descriptor(bench);
  sci_local_interrupt_t handle = nullptr;
  unsigned number = 0;
  expect_code("SCICreateInterrupt at adapter 9999", {SCI_ERR_NO_SUCH_ADAPTERNO, SCI_ERR_ILLEGAL_ADAPTERNO},
              bench.lib.SCICreateInterrupt.code(descriptor.handle, &handle, kNoAdapter, &number, nullptr,
                                                nullptr, 0U));
}

void flags(SisciBench& bench) {
  const TestDescriptor descriptor(bench);
  sci_local_interrupt_t handle = nullptr;
  unsigned number = 0;
  expect_code("SCICreateInterrupt with an unknown flag", {SCI_ERR_ILLEGAL_FLAG, SCI_ERR_FLAG_NOT_IMPLEMENTED},
              bench.lib.SCICreateInterrupt.code(descriptor.handle, &handle, bench.exporter, &number, nullptr,
                                                nullptr, kNoFlag));
}

sci_callback_action_t on_interrupt(void* to, sci_local_interrupt_t, sci_error_t status) {
  static_cast<CallbackLog<sci_error_t>*>(to)->add(status);
  return SCI_CALLBACK_CONTINUE;
}

void called_back(SisciBench& bench) {
  CallbackLog<sci_error_t> seen;
  const Interrupt interrupt(bench, 0, on_interrupt, &seen);
  Trigger trigger(interrupt);
  for (std::size_t round = 0; round < 10; ++round) {
    expect_ok("SCITriggerInterrupt", trigger.pull());
    expect_ok("the callback's status", seen.at(round));
  }
}

void removal_ends_a_wait(SisciBench& bench) {
  Interrupt interrupt(bench);
  BlockedCall waiter([&bench, handle = interrupt.handle] {
    return bench.lib.SCIWaitForInterrupt.code(handle, bench.lib.SCI_INFINITE_TIMEOUT, 0U);
  });
  waiter.await_asleep();
  expect_ok("SCIRemoveInterrupt", interrupt.remove());
  expect_code("the wait that it ends", {SCI_ERR_CANCELLED}, waiter.result());
}

constexpr SisciTest kTests[] = {
    {"SCITriggerInterrupt wakes who waits", wakes},
    {"a trigger before the wait is not lost, 100 times", not_lost},
    {"a wait that nobody ends is SCI_ERR_TIMEOUT", nobody_triggers},
    {"COUNTING_INT counts three triggers", counted},
    {"each interrupt has a number of its own", own_numbers},
    {"FIXED_INTNO gives a number once, until it is removed", fixed_number},
    {"a number that does not exist is refused", no_such_number},
    {"a node that nobody has is refused", no_such_node},
    {"an adapter that does not exist is refused", no_such_adapter},
    {"an unknown flag is refused", flags},
    {"a callback is called for each trigger", called_back},
    {"SCIRemoveInterrupt ends a wait with SCI_ERR_CANCELLED", removal_ends_a_wait},
};

}  // namespace
}  // namespace interrupt

const std::span<const SisciTest> interrupt_tests = interrupt::kTests;

}  // namespace collbench::conformance::sisci
