#pragma once
// Slots connect the agent's rank processes with an MPI. MPI's own launcher starts one slot program (slot.c)
// per rank. The slot hands its rank the variables that make it a process of that MPI. The launcher ends when
// the ranks have left their slots. On other hosts the first rank starts the launcher's daemon: its command
// comes through the bootstrap, so hosts need no login on each other.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "core/process_folder.h"
#include "engines/engine.h"
#include "engines/mpi/launcher.h"
#include "engines/worker/child.h"

namespace collbench::mpi {

struct MpiSlotsRequest {
  std::string address;  // Address of this host; kThisHost if all ranks are on one machine.
  std::string slot;     // Path of the slot program on this host.
  /// Returns the words of the launcher's command line, as launcher_words(). `names`: the sockets of the
  /// ranks, which are the argument of every slot program.
  std::function<std::vector<std::string>(const std::vector<MpiHostShare>& shares, const std::string& names)>
      command;
  EngineSettings environment;       // Variables for the launcher, added to those of this process.
  int log_fd = -1;                  // File that receives the output of the launcher and of its daemons.
  std::function<bool()> cancelled;  // Polled; true stops waiting. May be empty.
};

class MpiSlots {
 public:
  /// Waits until mpirun has started a helper process (slot program) for this rank. Its environment makes this
  /// process a rank of the MPI job. All ranks must construct together; rank 0 starts mpirun, the first rank
  /// of every other host the daemon that mpirun wants there.
  /// @throws Error(kUnavailable) if mpirun or the daemon ended, with its last output; Error(kCancelled)
  MpiSlots(Bootstrap& bootstrap, const MpiSlotsRequest& request);
  MpiSlots(const MpiSlots&) = delete;
  MpiSlots& operator=(const MpiSlots&) = delete;
  /// Tells the slot program to end. The rank that started mpirun or a daemon also waits up to 2 s for its
  /// end, then kills it.
  ~MpiSlots();
  /// Returns the MPI variables from the environment of the slot program that mpirun started. With them,
  /// MPI_Init makes this process a rank of the MPI job.
  [[nodiscard]] const EngineSettings& variables() const noexcept { return variables_; }
  /// Returns true if MPI's numbers of the ranks differ from those of the bootstrap: MPI's launcher numbers
  /// them host by host. Equal on all ranks.
  [[nodiscard]] bool is_reordered() const noexcept { return reordered_; }

 private:
  void start(const MpiSlotsRequest& request, const std::vector<std::string>& words, EngineSettings added);
  std::string collect_commands(const MpiSlotsRequest& request, std::size_t count);
  FileDescriptor accept_slot(const FileDescriptor& listener, const MpiSlotsRequest& request);
  std::string receive(int fd, const MpiSlotsRequest& request);
  void check(const MpiSlotsRequest& request);

  FileDescriptor listener_, remote_listener_, connection_, passed_;
  std::vector<FileDescriptor> remotes_;    // Slot programs that stand for the daemons of other hosts.
  std::unique_ptr<ProcessFolder> folder_;  // For files of the launcher or daemon.
  std::string program_;                    // Launcher or daemon, for messages.
  std::unique_ptr<worker::Child> launcher_;
  EngineSettings variables_;
  bool reordered_ = false;
  long long log_begin_ = 0;
};

}  // namespace collbench::mpi
