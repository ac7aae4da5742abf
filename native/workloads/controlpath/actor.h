#pragma once
// A thread that plays a part: the device, or the proxy. It does one thing at a time for another thread, which
// goes on meanwhile and waits for its end.
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace collbench::controlpath {

class Actor {
 public:
  /// @param spins empty looks before its core is given away
  explicit Actor(std::uint32_t spins);
  ~Actor();
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  /// Returns at once. `job` stays alive until wait(), which comes before the next start.
  void start(const std::function<void()>& job);
  [[nodiscard]] bool is_done() const noexcept;
  /// @throws what the job threw
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
