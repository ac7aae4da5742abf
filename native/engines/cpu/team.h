#pragma once
// Threads that work on the parts of one operation at the same time.
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace collbench::cpu {

class Team {
 public:
  /// @param members the caller of run() is one of them, the others are threads
  /// @param spins of a wait before it sleeps; 0 where cores are shared
  Team(int members, std::uint32_t spins);
  /// Not while run() runs.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// `work(i)` for each i below `parts`, all at once, 0 on this thread; parts are no more than members.
  /// Returns when all are done. @throws what one of them has thrown; the one that stopped the others first
  void run(int parts, const std::function<void(int)>& work);
  /// Whether a part has failed: the others need not wait for their peers. It stays so.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  void serve(int index);
  void do_part(int index) noexcept;

  const std::uint32_t spins_;
  std::atomic<std::uint32_t> turn_{0};  // of run(), whose work the threads take
  std::atomic<int> busy_{0};
  std::atomic<bool> failed_{false};
  bool ends_ = false;
  int parts_ = 0;
  const std::function<void(int)>* work_ = nullptr;
  std::exception_ptr error_;  // of the part that failed first
  std::vector<std::thread> threads_;
};

}  // namespace collbench::cpu
