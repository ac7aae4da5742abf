#pragma once
#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"

namespace collbench::metrics {

/// The rank processes on this machine whose CPU time and memory are recorded. The agent adds and removes
/// them; the sampler reads them in another thread. A rank may have several processes, one per open launch.
class RankSlots {
 public:
  /// @param ranks ranks to observe; other ranks are ignored. read() writes its values in this order
  /// @param proc_root "/proc", or a recorded folder in tests
  RankSlots(std::vector<int> ranks, std::string proc_root);

  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  void add(int rank, pid_t pid);
  void remove(pid_t pid);

  /// Writes two values per rank: CPU time in ns of all its processes so far, ended ones included; and
  /// resident memory in bytes of its live processes. NaN if the rank has no live process. Never waits: if
  /// add() or remove() is running in another thread, all values are NaN.
  void read(double* values);

 private:
  struct Process {
    std::size_t slot;
    pid_t pid;
    clockid_t clock;
    double cpu_ns;  // CPU time at the last reading
    KernelFile statm;
  };
  std::vector<int> ranks_;
  std::string proc_root_;
  std::mutex mutex_;
  std::vector<Process> processes_;
  std::vector<double> ended_cpu_ns_;  // indexed by slot
};

/// Returns the resident memory in bytes from the text of /proc/PID/statm (second field, in pages); NaN for
/// other text.
double resident_bytes(std::string_view statm, double page_bytes) noexcept;

}  // namespace collbench::metrics
