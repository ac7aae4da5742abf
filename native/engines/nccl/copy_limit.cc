#include "engines/nccl/copy_limit.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/clock.h"

namespace collbench::nccl {

double host_copy_gbps() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  std::vector<char> from(kBytes, 1), to(kBytes, 2);  // touched, so that no page fault is timed
  std::array<double, 5> gbps{};
  for (double& one : gbps) {
    const auto begin = now_ns();
    std::memcpy(to.data(), from.data(), kBytes);
    one = static_cast<double>(kBytes) / static_cast<double>(std::max<std::int64_t>(1, now_ns() - begin));
    from[0] = to[kBytes - 1];  // the copy has a reader
  }
  std::sort(gbps.begin(), gbps.end());
  return gbps[gbps.size() / 2];
}

}  // namespace collbench::nccl
