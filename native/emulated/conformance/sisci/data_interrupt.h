#pragma once
// The two ends of a data interrupt.
#include <string>

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {

/// A data interrupt at the exporting adapter, which receives messages.
/// @throws TestSkipped if library or driver has no data interrupts
struct DataInterrupt {
  explicit DataInterrupt(SisciBench& bench, sci_cb_data_interrupt_t callback = nullptr,
                         void* argument = nullptr);
  ~DataInterrupt();
  DataInterrupt(const DataInterrupt&) = delete;
  DataInterrupt& operator=(const DataInterrupt&) = delete;
  /// Waits for the next message and returns it; it may have at most 256 bytes.
  /// @throws TestFailure after 30 seconds
  std::string receive();
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_local_data_interrupt_t handle = nullptr;
  unsigned number = 0;
};

/// Connection of the importing adapter to a data interrupt of `node`, to send messages to it.
struct DataTrigger {
  DataTrigger(SisciBench& bench, unsigned node, unsigned number);
  ~DataTrigger();
  DataTrigger(const DataTrigger&) = delete;
  DataTrigger& operator=(const DataTrigger&) = delete;
  sci_error_t send(std::string text);
  SisciBench& bench;
  TestDescriptor descriptor;
  sci_remote_data_interrupt_t handle = nullptr;
};

}  // namespace collbench::conformance::sisci
