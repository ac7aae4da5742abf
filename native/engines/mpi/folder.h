#pragma once
// Folder for the files of a launcher and its daemons. A killed launcher leaves its folder behind; the next
// launcher removes folders of ended processes.
#include <string>

namespace collbench::mpi {

class LauncherFolder {
 public:
  /// Creates a folder for files of mpirun in the user's private cache folder. Also removes such folders of
  /// processes that have ended.
  /// @throws Error(kUnavailable) if the folder cannot be created
  LauncherFolder();
  ~LauncherFolder();
  LauncherFolder(const LauncherFolder&) = delete;
  LauncherFolder& operator=(const LauncherFolder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace collbench::mpi
