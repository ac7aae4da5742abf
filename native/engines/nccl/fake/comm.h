#pragma once
// A communicator of the fake NCCL.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engines/nccl/fake/faults.h"
#include "engines/nccl/fake/links.h"
#include "engines/nccl/fake/types.h"

namespace collbench::nccl_fake {

/// Factor of a premultiplied sum: one element, or its address on the device, read when an operation runs.
struct PremulSum {
  int dtype = 0;
  std::byte scalar[8] = {};
  const void* on_device = nullptr;
};

struct Comm {
  // Set before the communicator is handed out.
  int rank = 0, ranks = 1, ordinal = 0, physical = 0;
  bool blocking = true;
  Faults faults;
  Mesh mesh;
  std::string network;

  std::atomic<bool> aborted{false}, finished{false};
  std::atomic<int> error{kSuccess};  // Result of ncclCommGetAsyncError if it is not 0.

  // Owned by the running operation.
  std::mutex run_mutex;
  std::uint64_t operations = 0;

  std::mutex mutex;  // Guards all members below.
  std::condition_variable changed;
  int queued = 0;      // Operations on streams that are not complete.
  int busy = 0;        // Background jobs of a non-blocking communicator.
  int polls_left = 0;  // Number of times that ncclCommGetAsyncError still returns ncclInProgress.
  std::vector<std::function<int()>> deferred;  // Launches that wait until polls_left is 0.
  std::map<int, PremulSum> ops;
  int next_op = kFirstOwnOp;
  std::set<std::uintptr_t> registrations;
  std::uintptr_t next_registration = 1;
  std::set<int> connected;  // Peers whose "Channel" lines are in the log; -1 stands for the ring.
};

/// Returns the living communicator of a handle; nullptr for anything else.
std::shared_ptr<Comm> find_comm(void* handle);

/// Connects to all other ranks and initialises the communicator.
/// @param root root in the unique id @return ncclResult_t
int initialize(Comm& comm, const std::string& root, const char* call);
/// Initialises a communicator of some ranks of another one.
/// @param child nullptr if this rank does not take part
int split(Comm& parent, int color, int key, Comm* child);
/// Returns 0, ncclInProgress or the error, and counts as a poll of ncclCommGetAsyncError. Launches deferred
/// operations.
int poll_state(const std::shared_ptr<Comm>& comm);
/// Returns whether a call may use the communicator: ncclInvalidArgument if there is none or an earlier call
/// is in progress, or the communicator's error.
int require_ready(const std::shared_ptr<Comm>& comm);
/// Runs `job` now, or in the background if the communicator is non-blocking; then the result becomes its
/// state. @return the result or ncclInProgress
int run_job(const std::shared_ptr<Comm>& comm, const std::function<int()>& job);
/// Waits until all operations are complete, and launches deferred ones.
void drain(Comm& comm);
/// Records the first error.
void fail(Comm& comm, int error, const std::string& why);

}  // namespace collbench::nccl_fake
