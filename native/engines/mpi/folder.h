#pragma once
// Folder for the files of a launcher and its daemons. A killed launcher leaves its folder behind; the next
// launcher removes folders of ended processes.
#include <string>

namespace collbench::mpi {

class LauncherFolder {
 public:
  /// Creates the folder in the private cache folder and removes those of ended processes.
  /// @throws Error(kUnavailable)
  LauncherFolder();
  ~LauncherFolder();
  LauncherFolder(const LauncherFolder&) = delete;
  LauncherFolder& operator=(const LauncherFolder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace collbench::mpi
