#include "workloads/controlpath/gpu_kernels.h"

namespace collbench::controlpath {

/// Returns the text of the kernels, with everything that it includes.
const char* puts_source() noexcept;

namespace {

/// Does the work of the kernel on the host, for fake GPUs: one thread does the work of all threads.
void run_put(const void* arguments) {
  PutArgs args = *static_cast<const PutArgs*>(arguments);
  args.workers = 1;
  PutState state;
  put(args, state, 0);
}

void run_arrival(const void* arguments) { await_arrival(*static_cast<const ArrivalArgs*>(arguments)); }

void run_clock(const void* arguments) { answer_pings(*static_cast<const ClockArgs*>(arguments)); }

}  // namespace

Computation put_kernel() noexcept { return {puts_source(), "collbench_put", sizeof(PutArgs), run_put}; }
Computation arrival_kernel() noexcept {
  return {puts_source(), "collbench_arrival", sizeof(ArrivalArgs), run_arrival};
}
Computation clock_kernel() noexcept {
  return {puts_source(), "collbench_clock", sizeof(ClockArgs), run_clock};
}

}  // namespace collbench::controlpath
