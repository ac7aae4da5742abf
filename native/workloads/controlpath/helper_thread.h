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
  /// @param spins polls before a waiting thread yields its core
  explicit HelperThread(std::uint32_t spins);
  ~HelperThread();
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  /// Starts `job` on the thread and returns at once. `job` must exist until it has ended. start() must not be
  /// called again before that.
  void start(const std::function<void()>& job);
  [[nodiscard]] bool is_done() const noexcept;
  /// Throws the exception that ended the job, if there was one.
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
