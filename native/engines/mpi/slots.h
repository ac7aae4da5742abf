#pragma once
// Slots connect the agent's rank processes with an MPI. MPI's own launcher starts one slot program (slot.c)
// per rank. The slot hands its rank the variables that make it a process of that MPI. The launcher ends when
// the ranks have left their slots.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "engines/engine.h"
#include "engines/worker/child.h"

namespace collbench::mpi {

struct MpiSlotsRequest {
  std::vector<std::string> command;  // Launcher and its arguments, then the slot program.
  EngineSettings environment;        // Variables for the launcher, added to those of this process.
  int log_fd = -1;                   // File that receives the launcher's output.
  std::function<bool()> cancelled;   // Polled; true stops waiting. May be empty.
};

/// Folder for the files of a launcher and its daemons. A killed launcher leaves its folder behind; the next
/// launcher removes folders of ended processes.
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

class MpiSlots {
 public:
  /// Waits until mpirun has started a helper process (slot program) for this rank. Its environment makes this
  /// process a rank of the MPI job. All ranks must construct together;
  /// rank 0 starts mpirun.
  /// @throws Error(kUnavailable) if mpirun ended, with its last output; Error(kCancelled)
  MpiSlots(Bootstrap& bootstrap, const MpiSlotsRequest& request);
  MpiSlots(const MpiSlots&) = delete;
  MpiSlots& operator=(const MpiSlots&) = delete;
  /// Tells the slot program to end. On rank 0 it also waits up to 2 s for mpirun's end, then kills it.
  ~MpiSlots();
  /// Environment variables of the process that mpirun started. With them, MPI_Init makes this process a rank
  /// of the MPI job.
  [[nodiscard]] const EngineSettings& variables() const noexcept { return variables_; }

 private:
  void await(const MpiSlotsRequest& request);
  void receive(const MpiSlotsRequest& request);
  void check(const MpiSlotsRequest& request);

  FileDescriptor listener_, connection_, passed_;
  std::unique_ptr<LauncherFolder> folder_;
  std::unique_ptr<worker::Child> launcher_;
  EngineSettings variables_;
  long long log_begin_ = 0;
};

}  // namespace collbench::mpi
