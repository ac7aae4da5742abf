#pragma once
// Ranks of one machine, their symmetric memory, and where they meet.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace collbench::nvshmem_fake {

inline constexpr int kMostRanks = 32;
inline constexpr int kMostCallers = 1 << 16;

/// At the start of every rank's part: what peers write.
struct Board {
  std::atomic<std::uint64_t> signals[kMostCallers];  // of one-sided operations
  std::atomic<std::uint64_t> mail[kMostRanks];       // of messages, by their source
  std::atomic<std::uint64_t> arrived[2];  // of rank 0's part alone: barriers of hosts and of streams
};

class World {
 public:
  /// All ranks together. @throws std::runtime_error when there is no shared memory
  World(const std::string& name, int its_rank, int its_ranks);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Zeroed, at the same place in every part; nullptr when there is none left. All ranks, equal lengths.
  void* allocate(std::size_t bytes);
  void free(void* memory);
  /// Who meets: hosts (0) or streams (1).
  void barrier(int who);
  [[nodiscard]] Board& board(int of) const { return *reinterpret_cast<Board*>(part(of)); }
  /// The same place of another rank.
  template <class T>
  [[nodiscard]] T* at(T* here, int of) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(here) +
                                reinterpret_cast<std::uintptr_t>(part(of)) -
                                reinterpret_cast<std::uintptr_t>(part(rank)));
  }

  const int rank, ranks;

 private:
  [[nodiscard]] std::byte* part(int of) const;

  std::byte* all_ = nullptr;
  std::map<std::size_t, std::size_t> taken_;  // bytes by offset
  std::uint64_t meetings_[2] = {};
};

/// Until `counter` has come to `value`; leaves the processor to others.
void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t value);

}  // namespace collbench::nvshmem_fake
