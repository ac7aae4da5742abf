#pragma once
// Thread that plays a role, device or proxy. It runs one job at a time for another thread, which continues
// and later waits for the end.
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace collbench::controlpath {

class HelperThread {
 public:
  /// @param spins empty polls before the thread yields its core
  explicit HelperThread(std::uint32_t spins);
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// Starts a job and returns at once. `job` must stay alive until the job is done, and the next start() must
  /// come after that.
  void start(const std::function<void()>& job);
  [[nodiscard]] bool is_done() const noexcept;
  /// Rethrows the exception of the job, if there is one.
  void rethrow();

 private:
  void run();
  const std::uint32_t spins_;
  const std::function<void()>* job_ = nullptr;
  std::atomic<std::uint32_t> asked_{0}, done_{0};
  std::atomic<bool> stopping_{false};
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace collbench::controlpath
