#pragma once
// Faults from NCCL_FAKE_FAULT, a comma-separated list; README.md describes each.
#include <cstdint>
#include <string>

namespace collbench::nccl_fake {

struct NcclFaults {
  /// True: connections use TCP in place of the requested network. With `fallback` the log line "Using
  /// network" says so, with `detour` it names the requested network.
  bool fallback = false, detour = false;
  /// In every n-th operation rank 1's receive buffer stays unchanged, or has one wrong bit; 0 = never.
  std::uint64_t drop_every = 0, flip_every = 0;
  /// Number of the operation from which ncclCommGetAsyncError reports ncclRemoteError; 0 = never.
  std::uint64_t async_error_from = 0;
  /// Rank and number of the operation that never ends on this rank, or in which its process is killed; -1 =
  /// none.
  int hang_rank = -1, die_rank = -1;
  std::uint64_t hang_operation = 0, die_operation = 0;

  [[nodiscard]] bool drops(int rank, std::uint64_t operation) const {
    return rank == 1 && drop_every != 0 && operation % drop_every == 0;
  }
  [[nodiscard]] bool flips(int rank, std::uint64_t operation) const {
    return rank == 1 && flip_every != 0 && operation % flip_every == 0;
  }
  [[nodiscard]] bool fails(std::uint64_t operation) const {
    return async_error_from != 0 && operation >= async_error_from;
  }
  [[nodiscard]] bool hangs(int rank, std::uint64_t operation) const {
    return rank == hang_rank && operation == hang_operation;
  }
  [[nodiscard]] bool dies(int rank, std::uint64_t operation) const {
    return rank == die_rank && operation == die_operation;
  }
};

/// Parses a list of faults to inject (NCCL_FAKE_FAULT), such as "drop:5,hang:1:4".
/// @param problem empty at the call; set to the first word that is not a fault
NcclFaults parse_faults(const std::string& text, std::string& problem);

}  // namespace collbench::nccl_fake
