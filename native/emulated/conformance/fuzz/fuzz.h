#pragma once
// Random work, valid and invalid, against a library of the mlx5 interfaces, beside a queue pair that must
// keep working.
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "emulated/conformance/mlx5/devx_bench.h"

namespace collbench::conformance::mlx5 {

/// Numbers so far: calls of round(), work queue entries written, doorbells rung, completions read and how
/// many of them were errors, DEVX commands sent, checks of the untouched queue pair.
struct FuzzCounts {
  std::uint64_t rounds = 0, entries = 0, doorbells = 0, completions = 0, errors = 0, commands = 0, checks = 0;
};

/// Performs random actions on an mlx5 library, and checks regularly that an untouched queue pair still works.
class Fuzz {
 public:
  Fuzz(Mlx5Bench& bench, std::uint64_t seed);
  ~Fuzz();
  Fuzz(const Fuzz&) = delete;
  Fuzz& operator=(const Fuzz&) = delete;
  /// Performs one random action and reads completions; every 32nd call also checks the untouched queue pair.
  /// @throws TestFailure if the library does not behave as its interface requires
  void round();
  [[nodiscard]] const FuzzCounts& counts() const { return counts_; }

 private:
  /// A queue created by DEVX commands, with its own memory and completion queue. It is replaced by a new one
  /// from time to time.
  struct FuzzQueue {
    std::unique_ptr<DirectQueue> queue;
    bool is_spent = false;  // its ring is full or was rung with garbage: nothing more is written to it
  };

  std::uint64_t any() { return random_(); }
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool once_in(std::uint64_t rounds) { return below(rounds) == 0; }
  /// True with probability 1 / rounds; always false while the current action must be valid.
  bool injects_error(std::uint64_t rounds) { return !is_clean_ && once_in(rounds); }

  /// Returns a random range of registered memory. Sometimes its key, address or length is wrong, unless the
  /// current action must be valid.
  ibv_sge random_piece();
  std::uint32_t random_queue();
  TestMemory& random_memory() { return *memories_[below(memories_.size())]; }

  void replace_direct(FuzzQueue& one);
  void replace_end(std::size_t index);
  void write_entry(DirectQueue& queue);
  void write_garbage(DirectQueue& queue);
  void act_direct();
  void act_verbs();
  void act_state();
  void act_command();
  void act_memory();
  void collect();
  void check_healthy();

  Mlx5Bench& bench_;
  std::mt19937_64 random_;
  FuzzCounts counts_;
  std::vector<std::unique_ptr<TestMemory>> memories_;
  std::vector<std::uint32_t> dead_keys_, dead_queues_;
  std::vector<FuzzQueue> directs_;
  std::vector<std::unique_ptr<TestQueuePair>> ends_;
  std::vector<bool> had_error_;  // ends that had an error
  ibv_pd* healthy_domain_ = nullptr;
  std::unique_ptr<ConnectedPair> healthy_;
  unsigned healthy_round_ = 0;
  bool is_clean_ = false;  // this action must be valid
};

}  // namespace collbench::conformance::mlx5
