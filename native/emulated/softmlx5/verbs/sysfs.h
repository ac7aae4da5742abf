#pragma once
#include <mutex>
#include <string>

#include "emulated/softmlx5/nic/card.h"

namespace collbench::softmlx5::verbs {

/// Files with the emulated port's counters, named and formatted as the kernel's in /sys/class/infiniband, so
/// that monitoring tools can read them.
class SysfsTree {
 public:
  /// Creates the folder `root`/class/infiniband/mlx5_<LID>/ports/1, its constant files and its counter files.
  /// Errors make is_complete() false.
  SysfsTree(Card& card, const std::string& root);
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;
  /// True if all folders and files could be created and written so far.
  [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
  /// Writes the current counters into their files. Files are overwritten in place and never replaced, so
  /// readers may keep them open.
  void write();

 private:
  static constexpr int kFiles = 4;
  Card& card_;
  std::mutex mutex_;  // guards the files: the last write may overlap one of the thread
  int files_[kFiles] = {-1, -1, -1, -1};
  bool is_complete_ = false;
};

/// Creates counter files, as in /sys, in the folder that the environment variable SOFTMLX5_SYSFS names.
/// Updates them every 20 ms until the process ends. Does nothing if the variable is not set; reports to
/// stderr if files cannot be made.
void show_counters(Card& card);

}  // namespace collbench::softmlx5::verbs
