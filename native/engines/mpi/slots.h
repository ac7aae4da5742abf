#pragma once
// The ranks of a launch are processes of the agent; MPI's own launcher starts a slot for each (slot.c), which
// hands the rank what makes it a process of that MPI. The launcher ends when the ranks have left their slots.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/mpi/folder.h"
#include "engines/worker/child.h"
#include "transports/socket/address.h"

namespace collbench::mpi {

struct SlotsRequest {
  std::vector<std::string> command;  // launcher and its words, then the slot program
  Settings environment;              // of the launcher, over what this process has
  int log_fd = -1;                   // gets what the launcher prints
  std::function<bool()> cancelled;   // polled; may be empty
};

class Slots {
 public:
  /// All ranks call it together; rank 0 starts the launcher.
  /// @throws Error(kUnavailable) the launcher ended, with its last words; Error(kCancelled)
  Slots(Bootstrap& bootstrap, const SlotsRequest& request);
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  /// Leaves the slot, and lets the launcher end by itself for a while.
  ~Slots();
  /// Variables of the slot that make a process one of this MPI.
  [[nodiscard]] const Settings& variables() const noexcept { return variables_; }

 private:
  void await(const SlotsRequest& request);
  void receive(const SlotsRequest& request);
  void check(const SlotsRequest& request);

  socket::FileDescriptor listener_, connection_, passed_;
  std::unique_ptr<LauncherFolder> folder_;
  std::unique_ptr<worker::Child> launcher_;
  Settings variables_;
  long long log_begin_ = 0;
};

}  // namespace collbench::mpi
