#include <algorithm>
#include <array>

#include "concurrent_load/kinds.h"

namespace collbench::concurrent_load {
namespace {

constexpr std::size_t kValues = 64;  // Number of values that fit in the vector registers.
constexpr int kRounds = 512;

class Compute final : public LoadTask {
 public:
  Compute() { values_.fill(1.0F); }
  std::uint64_t slice() override {
    std::array<float, kValues> values = values_;
    for (int round = 0; round < kRounds; ++round)
      for (float& value : values) value = value * kFactor + kTerm;
    values_ = values;
    return std::uint64_t{2} * kValues * kRounds;
  }

 private:
  // These factors keep the values near 1, where arithmetic has its usual speed.
  static constexpr float kFactor = 0.9999F, kTerm = 0.0001F;
  std::array<float, kValues> values_;
};

}  // namespace

std::vector<std::unique_ptr<LoadTask>> compute(const LoadContext& context) {
  const int cores = std::max(1, static_cast<int>(context.cores.size()));
  std::vector<std::unique_ptr<LoadTask>> works;
  for (int left = amount_of(context, "compute", cores, cores); left > 0; --left)
    works.push_back(std::make_unique<Compute>());
  return works;
}

}  // namespace collbench::concurrent_load
