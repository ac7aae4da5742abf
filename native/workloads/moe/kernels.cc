#include "workloads/moe/kernels.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collectives/half.h"

namespace collbench::moe {
namespace {

void pack(const void* arguments) {
  const PackArgs& a = *static_cast<const PackArgs*>(arguments);
  std::copy_n(a.own_counts, a.own_experts, a.announced);
  const auto* const tokens = static_cast<const std::byte*>(a.tokens);
  for (std::uint64_t row = 0; row < a.rows; ++row)
    std::memcpy(reinterpret_cast<void*>(a.places[row]), tokens + a.token_of_row[row] * a.row_bytes,
                a.row_bytes);
}

void combine(const void* arguments) {
  const CombineArgs& a = *static_cast<const CombineArgs*>(arguments);
  thread_local std::vector<float> sum;
  sum.resize(a.hidden);
  for (std::uint64_t token = 0; token < a.tokens; ++token) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (unsigned n = a.first_of_token[token]; n < a.first_of_token[token + 1]; ++n) {
      const auto* const row = reinterpret_cast<const std::uint16_t*>(a.places[n]);
      const float weight = a.weights[n];
      for (std::size_t i = 0; i < a.hidden; ++i) sum[i] += weight * float_of_bfloat16(row[i]);
    }
    std::uint16_t* const output = a.combined + token * a.hidden;
    for (std::size_t i = 0; i < a.hidden; ++i) output[i] = bfloat16_of_float(sum[i]);
  }
}

}  // namespace

Computation packing() noexcept { return {experts_source(), "collbench_moe_pack", sizeof(PackArgs), pack}; }

std::uint64_t packing_threads(const PackArgs& args) noexcept {
  return std::max<std::uint64_t>(args.own_experts,
                                 args.rows * ((args.row_bytes + kCopiedBytes - 1) / kCopiedBytes));
}

Computation combining() noexcept {
  return {experts_source(), "collbench_moe_combine", sizeof(CombineArgs), combine};
}

std::uint64_t combining_threads(const CombineArgs& args) noexcept {
  return args.tokens * (args.hidden / kSummedElements);
}

}  // namespace collbench::moe
