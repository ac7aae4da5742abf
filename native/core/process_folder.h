#pragma once
// Folders for the files of one process and of the programs that it starts.
#include <string>

namespace collbench {

/// A folder for this process, within the user's private cache folder; the destructor removes it with all
/// files in it. If the process is killed, the folder stays until any process of the user calls
/// remove_folders_of_ended_processes() or creates a ProcessFolder.
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
/// Folders of other machines and containers stay. Does nothing if the cache folder is missing or cannot be
/// used.
void remove_folders_of_ended_processes() noexcept;

}  // namespace collbench
