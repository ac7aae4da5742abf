#include "engines/nccl/copy_limit.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "core/clock.h"

namespace collbench::nccl {

namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr int kRounds = 5;

/// Copies between two own buffers in host memory, in several rounds that all threads begin together.
/// @param spans receives the ns of each round until the last thread is done; only one thread passes it, the
/// others null
void copy_rounds(std::barrier<>& together, std::array<std::int64_t, kRounds>* spans) {
  std::vector<char> from(kBytes, 1), to(kBytes, 2);  // Initialised, so that no page fault is timed.
  for (int round = 0; round < kRounds; ++round) {
    together.arrive_and_wait();
    const auto begin = now_ns();
    std::memcpy(to.data(), from.data(), kBytes);
    together.arrive_and_wait();
    if (spans != nullptr) (*spans)[static_cast<std::size_t>(round)] = now_ns() - begin;
    from[0] = to[kBytes - 1];  // Makes the copy's result used, so that the compiler keeps it.
  }
}

}  // namespace

double host_copy_gbps(int threads) {
  std::barrier together(threads);
  std::array<std::int64_t, kRounds> spans{};
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&] { copy_rounds(together, nullptr); });
    copy_rounds(together, &spans);
  }
  std::sort(spans.begin(), spans.end());
  return static_cast<double>(kBytes) * threads /
         static_cast<double>(std::max<std::int64_t>(1, spans[kRounds / 2]));
}

}  // namespace collbench::nccl
