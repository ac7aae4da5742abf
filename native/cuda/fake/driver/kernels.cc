// The device source (collectives/device/pattern_device.h) compiled for the host, under the names and with the
// parameters of its kernels. One worker does the whole grid's share.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "collectives/device/pattern_device.h"
#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/module.h"

namespace collbench::cuda_fake {
namespace {

using device::PatternArgs;
using device::U64;

template <typename Value>
Value parameter(const Parameters& parameters, std::size_t index) {
  Value value;
  std::memcpy(&value, parameters[index].data(), sizeof value);
  return value;
}

bool reachable(const void* memory, U64 bytes) { return memory_table().find(memory, bytes); }

int run_fill(const LaunchShape& /*shape*/, const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  auto* send = parameter<void*>(parameters, 1);
  const auto n = parameter<U64>(parameters, 2);
  if (!reachable(send, n * args.width)) return kIllegalAddress;
  device::fill_share(args, send, n, 0, 1);
  return kSuccess;
}

int run_poison(const LaunchShape& /*shape*/, const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  auto* recv = parameter<void*>(parameters, 1);
  const auto bytes = parameter<U64>(parameters, 2);
  if (!reachable(recv, bytes)) return kIllegalAddress;
  device::poison_share(args, recv, bytes, 0, 1);
  return kSuccess;
}

int run_verify(const LaunchShape& /*shape*/, const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  const auto* recv = parameter<const void*>(parameters, 1);
  const auto n = parameter<U64>(parameters, 2);
  auto* result = parameter<U64*>(parameters, 3);
  if (!reachable(recv, n * args.width) || !reachable(result, 4 * sizeof *result)) return kIllegalAddress;
  const device::Wrong wrong = device::verify_share(args, recv, n, 0, 1);
  result[0] += wrong.count;
  if (wrong.first < result[1]) result[1] = wrong.first;
  return kSuccess;
}

/// Polls, as the GPU does, but leaves the processor to others.
int run_hold(const LaunchShape& /*shape*/, const Parameters& parameters) {
  auto* flag = parameter<unsigned*>(parameters, 0);
  const auto wanted = parameter<unsigned>(parameters, 1);
  auto* gave_up = parameter<unsigned*>(parameters, 2);
  const std::chrono::nanoseconds timeout(parameter<U64>(parameters, 3));
  if (!reachable(flag, sizeof *flag) || !reachable(gave_up, sizeof *gave_up)) return kIllegalAddress;
  const auto begin = std::chrono::steady_clock::now();
  while (std::atomic_ref<unsigned>(*flag).load(std::memory_order_acquire) < wanted) {
    if (std::chrono::steady_clock::now() - begin > timeout) {
      std::atomic_ref<unsigned>(*gave_up).store(1, std::memory_order_release);
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return kSuccess;
}

const Kernel kKernels[] = {
    {"collbench_fill", {sizeof(PatternArgs), 8, 8}, run_fill},
    {"collbench_poison", {sizeof(PatternArgs), 8, 8}, run_poison},
    {"collbench_verify", {sizeof(PatternArgs), 8, 8, 8}, run_verify},
    {"collbench_hold", {8, 4, 8, 8}, run_hold},
};

}  // namespace

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel& kernel : kKernels)
    if (name == kernel.name) return &kernel;
  return nullptr;
}

}  // namespace collbench::cuda_fake
