#pragma once
#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"

namespace collbench::metrics {

/// The rank processes of this machine: whoever starts them says so here, and a sampler in another thread
/// reads them. A rank may be several processes at once (one per open launch).
class RankSlots {
 public:
  /// @param ranks numbers of the ranks that have a place, in this order; others are not followed
  RankSlots(std::vector<int> ranks, std::string proc_root);

  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  void add(int rank, pid_t pid);
  void remove(pid_t pid);

  /// Per rank: CPU time of all processes it has been so far, ns; resident bytes of those alive. NaN where
  /// none is. Never waits: while add or remove is at work, all is NaN.
  void read(double* values);

 private:
  struct Process {
    std::size_t slot;
    pid_t pid;
    clockid_t clock;
    double cpu_ns;  // last seen
    KernelFile statm;
  };
  std::vector<int> ranks_;
  std::string proc_root_;
  std::mutex mutex_;
  std::vector<Process> processes_;
  std::vector<double> ended_cpu_ns_;  // by slot
};

/// Resident bytes of a /proc/PID/statm text (its second field, pages); NaN when it is none.
double resident_bytes(std::string_view statm, double page_bytes) noexcept;

}  // namespace collbench::metrics
