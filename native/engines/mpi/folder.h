#pragma once
// Where a launcher and its daemons keep their files. A launcher that is killed leaves them; whoever comes
// next removes what belongs to nobody any more.
#include <string>

namespace collbench::mpi {

class LauncherFolder {
 public:
  /// In the private cache folder; removes those of processes that are gone. @throws Error(kUnavailable)
  LauncherFolder();
  ~LauncherFolder();
  LauncherFolder(const LauncherFolder&) = delete;
  LauncherFolder& operator=(const LauncherFolder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace collbench::mpi
