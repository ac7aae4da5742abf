// softmlx5_fuzz LIBRARY SEED ROUNDS | SECONDSs: random work against softmlx5. Exit code 0: no round found a
// fault. Faults are printed to stderr with seed and round.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "emulated/conformance/fuzz/fuzz.h"

int main(int argc, char** argv) {
  using namespace collbench::conformance;
  if (argc != 4) {
    std::fprintf(stderr, "usage: softmlx5_fuzz LIBRARY SEED ROUNDS, or 600s\n");
    return 1;
  }
  const std::string limit = argv[3];
  const std::uint64_t seed = std::strtoull(argv[2], nullptr, 10),
                      number = std::strtoull(argv[3], nullptr, 10);
  const bool is_time = limit.back() == 's';
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(is_time ? number : 0);
  mlx5::FuzzCounts counts;
  int code = 0;
  try {
    mlx5::Mlx5Bench bench(argv[1]);
    mlx5::Fuzz fuzz(bench, seed);
    const auto goes_on = [&] {
      return is_time ? std::chrono::steady_clock::now() < deadline : counts.rounds < number;
    };
    try {
      for (; goes_on(); counts = fuzz.counts()) fuzz.round();
    } catch (const TestFailure& failure) {
      std::fprintf(stderr, "seed %s, round %llu: expected %s, seen %s\n", argv[2],
                   static_cast<unsigned long long>(fuzz.counts().rounds), failure.expected.c_str(),
                   failure.seen.c_str());
      code = 1;
    }
  } catch (const TestFailure& failure) {
    std::fprintf(stderr, "expected %s, seen %s\n", failure.expected.c_str(), failure.seen.c_str());
    code = 1;
  } catch (const TestSkipped& skipped) {
    std::fprintf(stderr, "%s\n", skipped.reason.c_str());
    code = 1;
  }
  const auto number_of = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%llu rounds, %llu entries, %llu doorbells, %llu commands, %llu completions (%llu errors), %llu "
      "checks\n",
      number_of(counts.rounds), number_of(counts.entries), number_of(counts.doorbells),
      number_of(counts.commands), number_of(counts.completions), number_of(counts.errors),
      number_of(counts.checks));
  return code;
}
