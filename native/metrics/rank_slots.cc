#include "metrics/rank_slots.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "metrics/text.h"

namespace collbench::metrics {

double resident_bytes(std::string_view statm, double page_bytes) noexcept {
  double bytes = kAbsent;
  each_whole_line(statm, [&](std::string_view line) {
    take_word(line);
    bytes = take_value(line) * page_bytes;
  });
  return bytes;
}

RankSlots::RankSlots(std::vector<int> ranks, std::string proc_root)
    : ranks_(std::move(ranks)), proc_root_(std::move(proc_root)), ended_cpu_ns_(ranks_.size(), 0.0) {}

void RankSlots::add(int rank, pid_t pid) {
  const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
  clockid_t clock = 0;
  // the rank is not followed, or the process has ended already
  if (found == ranks_.end() || clock_getcpuclockid(pid, &clock) != 0) return;
  KernelFile statm(proc_root_ + "/" + std::to_string(pid) + "/statm");
  const std::lock_guard lock(mutex_);
  processes_.push_back({static_cast<std::size_t>(found - ranks_.begin()), pid, clock, 0.0, std::move(statm)});
}

void RankSlots::remove(pid_t pid) {
  const std::lock_guard lock(mutex_);
  std::vector<Process> left;
  for (Process& process : processes_) {
    if (process.pid == pid)
      ended_cpu_ns_[process.slot] += process.cpu_ns;
    else
      left.push_back(std::move(process));
  }
  processes_.swap(left);
}

void RankSlots::read(double* values) {
  static const double page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < 2 * ranks_.size(); ++i) values[i] = kAbsent;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (Process& process : processes_) {
    timespec used{};
    if (clock_gettime(process.clock, &used) != 0) continue;
    process.cpu_ns = static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
    double& cpu = values[2 * process.slot];
    if (std::isnan(cpu)) cpu = ended_cpu_ns_[process.slot];
    cpu += process.cpu_ns;
    const auto statm = process.statm.read();
    double& resident = values[2 * process.slot + 1];
    const double bytes = statm ? resident_bytes(*statm, page_bytes) : kAbsent;
    resident = std::isnan(resident) ? bytes : resident + bytes;
  }
}

}  // namespace collbench::metrics
