#include "workloads/stencil/exchange_kernel.h"

#include <algorithm>

namespace collbench::stencil {

/// Returns the text of the kernel, with everything that it includes.
const char* exchange_source() noexcept;

namespace {

constexpr std::uint64_t kThreadsPerBlock = 256;                 // Block size in the engine's launches.
constexpr std::uint64_t kBlockBytes = std::uint64_t{16} << 10;  // Bytes that justify a block of their own.
constexpr std::uint64_t kMaxBlocks = 8;

/// Does the work of the kernel on the host, for fake GPUs: one thread does the work of all threads.
void run_exchange(const void* arguments) {
  const ExchangeArgs& args = *static_cast<const ExchangeArgs*>(arguments);
  if (args.job != kJobStore) return exchange(args);
  for (u32 block = 0; block < args.links * args.blocks; ++block) store_part(args, block, 0, 1);
  for (u32 link = 0; link < args.links; ++link) await_halo(args, link);
}

}  // namespace

Computation exchange_kernel() noexcept {
  return {exchange_source(), "collbench_exchange", sizeof(ExchangeArgs), run_exchange};
}

std::uint64_t exchange_threads(const ExchangeArgs& args) noexcept {
  return args.job == kJobStore ? args.links * args.blocks * kThreadsPerBlock : 1;
}

std::uint32_t blocks_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / kBlockBytes, 1, kMaxBlocks));
}

}  // namespace collbench::stencil
