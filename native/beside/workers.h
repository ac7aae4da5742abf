#pragma once
// Threads that do the work of a load between start() and stop(), and count what they have done while the
// workload was being timed. The workload pays one store for it: workers look at a flag after each slice.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "beside/work.h"

namespace collbench::beside {

class Workers {
 public:
  /// Returns once every thread has prepared its work.
  /// @param cores worker i is bound to core i, the first one again after the last; empty = any
  /// @throws what Work::prepare throws
  Workers(std::vector<std::unique_ptr<Work>> works, const std::vector<int>& cores);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Ends the threads, also amid their work.
  ~Workers();

  void start();
  /// All ranks call it together. Returns when nothing works any more. @throws as check()
  void stop();
  /// @throws what ended a worker
  void check();

  /// Raised by the rank while the workload is timed.
  std::atomic<std::uint32_t>& timing() noexcept { return timing_; }
  struct Done {
    std::uint64_t timed = 0, untimed = 0;  // units; a slice counts where it ends
  };
  /// Since the threads began; from any thread.
  [[nodiscard]] Done done() const;
  [[nodiscard]] Work::Moved moved() const;
  [[nodiscard]] std::size_t size() const noexcept { return seats_.size(); }

 private:
  enum class State : std::uint8_t { kParked, kWorking, kLeaving };
  struct alignas(64) Seat {
    std::unique_ptr<Work> work;
    std::array<std::atomic<std::uint64_t>, 2> done{};  // by the flag
    std::thread thread;
  };
  void serve(Seat& seat, int core) noexcept;
  void work_until_told(Seat& seat);
  void end() noexcept;

  std::vector<std::unique_ptr<Seat>> seats_;
  alignas(64) std::atomic<std::uint32_t> timing_{0};
  alignas(64) std::atomic<State> state_{State::kParked};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t starts_ = 0;
  std::size_t busy_ = 0;  // preparing or working
  std::exception_ptr failure_;
};

}  // namespace collbench::beside
