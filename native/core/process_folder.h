#pragma once
// Folders for the files of one process and of the programs that it starts.
#include <string>

namespace collbench {

/// A folder in the user's private cache folder. If the process is killed, its folder stays until
/// remove_folders_of_ended_processes() is called, or another ProcessFolder is created.
class ProcessFolder {
 public:
  /// @throws Error(kUnavailable) if the folder cannot be created
  ProcessFolder();
  ~ProcessFolder();
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Removes the folders that ProcessFolder objects of ended processes have left in this user's cache folder.
/// Folders of other machines and containers stay. Does nothing if there is no cache folder.
void remove_folders_of_ended_processes() noexcept;

}  // namespace collbench
