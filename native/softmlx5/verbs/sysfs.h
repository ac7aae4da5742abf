#pragma once
#include <mutex>
#include <string>

#include "softmlx5/nic/card.h"

namespace collbench::softmlx5::verbs {

/// The port of a card as files that look as those of the kernel (/sys/class/infiniband).
class SysfsTree {
 public:
  /// Makes `root`/class/infiniband/mlx5_<LID>/ports/1 with what does not change.
  SysfsTree(Card& card, const std::string& root);
  ~SysfsTree();
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;
  /// False when a folder or a file could not be made.
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  /// Writes the counters into their files, which stay the same files: readers may keep them open.
  void write();

 private:
  static constexpr int kFiles = 4;
  Card& card_;
  std::mutex mutex_;  // of the files: the last write may meet that of the thread
  int files_[kFiles] = {-1, -1, -1, -1};
  bool is_there_ = false;
};

/// With SOFTMLX5_SYSFS: a tree in that folder, written until the process ends.
void show_counters(Card& card);

}  // namespace collbench::softmlx5::verbs
