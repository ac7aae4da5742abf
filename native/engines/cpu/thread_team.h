#pragma once
// Threads that work on the parts of one operation at the same time.
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace collbench::cpu {

class ThreadTeam {
 public:
  /// Starts `members` - 1 threads; the caller of run() is the remaining member.
  /// @param spins polls before a waiting thread yields; 0 if threads share cores
  ThreadTeam(int members, std::uint32_t spins);
  /// Stops the threads. The caller must not destroy the object while run() is active.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Runs `work(i)` for each i from 0 to `parts` - 1 in parallel, one thread for each i; i = 0 runs on the
  /// calling thread. `parts` is at most the number of members. Returns when all calls of `work` have ended.
  /// @throws the first exception that `work` has thrown
  void run(int parts, const std::function<void(int)>& work);
  /// Returns true once a call of `work` in run() has thrown. The other calls can then stop waiting for data
  /// from other ranks.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  void serve(int index);
  void do_part(int index) noexcept;

  const std::uint32_t spins_;
  std::atomic<std::uint32_t> turn_{0};  // Number of the run() whose work the threads take.
  std::atomic<int> busy_{0};
  std::atomic<bool> failed_{false};
  bool ends_ = false;
  int parts_ = 0;
  const std::function<void(int)>* work_ = nullptr;
  std::exception_ptr error_;  // Exception of the part that failed first.
  std::vector<std::thread> threads_;
};

}  // namespace collbench::cpu
