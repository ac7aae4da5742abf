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
  /// @param members number of workers, including the caller of run()
  /// @param spins polls of a wait before it sleeps; 0 if cores are shared
  ThreadTeam(int members, std::uint32_t spins);
  /// Must not run during run().
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Runs `work(i)` for each i below `parts` in parallel; part 0 runs on this thread. There are at most as
  /// many parts as members. Returns when all are done.
  /// @throws the first exception that a part has thrown
  void run(int parts, const std::function<void(int)>& work);
  /// Returns whether a part has failed, so that the others need not wait for their peers. It stays true.
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
