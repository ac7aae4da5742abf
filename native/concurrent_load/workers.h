#pragma once
// Threads that run a load between start() and stop(). They count the units done while the workload was being
// timed. The cost for the workload is one store: the threads read the flag after each slice.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "concurrent_load/load_task.h"

namespace collbench::concurrent_load {

class Workers {
 public:
  /// Starts one thread per task. Returns when every thread has prepared its task.
  /// @param cores thread i is bound to the i-th core, beginning again after the last; empty = not bound
  /// @throws the exception of a LoadTask::prepare()
  Workers(std::vector<std::unique_ptr<LoadTask>> works, const std::vector<int>& cores);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Ends the load's threads and waits for their end, even if one waits for other ranks (in
  /// LoadTask::pause()).
  ~Workers();

  void start();
  /// Pauses the load; all ranks must call it together. Returns when no load thread of this rank works any
  /// longer. @throws as check()
  void stop();
  /// Throws the exception that first ended a thread of the load; does nothing if none has failed.
  void check();

  /// Flag that the rank sets to 1 while a sample is timed, so that work during samples is counted separately.
  std::atomic<std::uint32_t>& timing() noexcept { return timing_; }
  struct UnitCounts {
    /// Work done while samples were timed, and at other times, in units of the kind of load. A slice (some
    /// microseconds of work) is counted by the flag's value at its end.
    std::uint64_t timed = 0, untimed = 0;
  };
  /// Returns the work of all load threads since they were created. May be called from any thread.
  [[nodiscard]] UnitCounts done() const;
  [[nodiscard]] LoadTask::TransferCounts moved() const;
  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }

 private:
  enum class State : std::uint8_t { kParked, kWorking, kLeaving };
  struct alignas(64) Worker {
    std::unique_ptr<LoadTask> work;
    std::array<std::atomic<std::uint64_t>, 2> done{};  // Units done, indexed by the timing flag.
    std::thread thread;
  };
  void serve(Worker& worker, int core) noexcept;
  void work_until_paused(Worker& worker);
  void end() noexcept;

  std::vector<std::unique_ptr<Worker>> workers_;
  alignas(64) std::atomic<std::uint32_t> timing_{0};
  alignas(64) std::atomic<State> state_{State::kParked};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t starts_ = 0;
  std::size_t busy_ = 0;  // Number of workers that are preparing or working.
  std::exception_ptr failure_;
};

}  // namespace collbench::concurrent_load
