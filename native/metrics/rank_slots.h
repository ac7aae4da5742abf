#pragma once
#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"

namespace collbench::metrics {

/// The rank processes of this machine. The launcher adds and removes them; a sampler in another thread reads
/// them. A rank may be several processes at once (one per open launch).
class RankSlots {
 public:
  /// @param ranks rank numbers to follow, in the order of the slots; other ranks are ignored
  RankSlots(std::vector<int> ranks, std::string proc_root);

  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  void add(int rank, pid_t pid);
  void remove(pid_t pid);

  /// Writes two values per rank: CPU time of all its processes so far in ns, and resident bytes of its live
  /// processes. NaN if the rank has no process. Never waits: while add or remove runs, all values are NaN.
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

/// Resident bytes from the text of /proc/PID/statm (its second field, in pages); NaN for other text.
double resident_bytes(std::string_view statm, double page_bytes) noexcept;

}  // namespace collbench::metrics
