#pragma once
// Ranks of the fake NVSHMEM on one machine: their symmetric memory and their barriers.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace collbench::nvshmem_fake {

inline constexpr int kMaxRanks = 32;
inline constexpr int kMaxCallers = 1 << 16;

/// Counters at the beginning of every rank's symmetric memory, which other ranks write.
struct PeerFlags {
  std::atomic<std::uint64_t> signals[kMaxCallers];  // Signals of one-sided operations.
  std::atomic<std::uint64_t> mail[kMaxRanks];       // Message counts by source rank.
  std::atomic<std::uint64_t> arrived[2];  // Barrier counts of hosts and of streams; only rank 0's are used.
};

class World {
 public:
  /// Creates the memory that all ranks share; all ranks must construct together.
  /// @param name name of the shared memory, equal on all ranks
  /// @throws std::runtime_error if shared memory cannot be created
  World(const std::string& name, int its_rank, int its_ranks);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Allocates memory filled with zeros at the same offset on every rank; all ranks must call it together,
  /// with equal lengths. Returns null if no memory is left.
  void* allocate(std::size_t bytes);
  void free(void* memory);
  /// Barrier of all ranks. @param who threads that meet: 0 = host threads, 1 = threads of the streams
  void barrier(int who);
  [[nodiscard]] PeerFlags& peer_flags(int of) const { return *reinterpret_cast<PeerFlags*>(part(of)); }
  /// Returns the address in the memory of rank `of` that corresponds to `here` in this rank's memory.
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
  std::map<std::size_t, std::size_t> taken_;  // Allocated bytes by offset.
  std::uint64_t meetings_[2] = {};
};

/// Waits until `counter` has reached `value`; yields the processor meanwhile.
void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t value);

}  // namespace collbench::nvshmem_fake
