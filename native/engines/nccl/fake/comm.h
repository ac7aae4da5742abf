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

/// Factor of a premultiplied sum. It is one element in `scalar`; or, if `on_device` is not null, an element
/// at that device address, which is read when the operation runs.
struct PremulSum {
  int dtype = 0;
  std::byte scalar[8] = {};
  const void* on_device = nullptr;
};

struct Comm {
  // Set before the communicator is handed out.
  int rank = 0, ranks = 1, ordinal = 0, physical = 0;
  bool blocking = true;
  NcclFaults faults;
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
  int in_graphs = 0;   // Calls that were captured into graphs which still exist.
  int busy = 0;        // Background jobs of a non-blocking communicator.
  int polls_left = 0;  // Number of times that ncclCommGetAsyncError still returns ncclInProgress.
  std::vector<std::function<int()>> deferred;  // Launches that wait until polls_left is 0.
  std::map<int, PremulSum> ops;
  int next_op = kFirstOwnOp;
  std::set<std::uintptr_t> registrations;
  std::uintptr_t next_registration = 1;
  std::set<int> connected;  // Peers whose "Channel" lines are in the log; -1 stands for the ring.
};

/// Returns the communicator for a ncclComm_t; null if the handle is invalid or the communicator was
/// destroyed.
std::shared_ptr<Comm> find_comm(void* handle);

/// Connects this rank to all other ranks and initialises the communicator.
/// @param root address in the unique id, at which ranks meet @param call name of the NCCL function, for the
/// log
/// @returns ncclResult_t
int initialize(Comm& comm, const std::string& root, const char* call);
/// Implements ncclCommSplit: ranks of `parent` with the same color form a new communicator, in the order of
/// `key`.
/// @param child receives the communicator; null if this rank passes no color @returns ncclResult_t
int split(Comm& parent, int color, int key, Comm* child);
/// Implements ncclCommGetAsyncError: returns the communicator's error, ncclInProgress while an earlier call
/// is in progress, otherwise 0. The last ncclInProgress starts the launches that were deferred.
int poll_state(const std::shared_ptr<Comm>& comm);
/// Returns 0 if a call may use the communicator. Otherwise: its error; ncclInvalidArgument if it is null or
/// an earlier call is in progress; ncclInvalidUsage if it was aborted or finalised.
int require_ready(const std::shared_ptr<Comm>& comm);
/// Runs `job`, such as connecting the ranks, and returns its result. If the communicator is non-blocking,
/// runs it in the background and returns ncclInProgress; its result becomes the communicator's state.
int run_job(const std::shared_ptr<Comm>& comm, const std::function<int()>& job);
/// Starts launches that were deferred and waits until all of the communicator's operations are complete.
void drain(Comm& comm);
/// Sets the communicator's error, unless it has one already. @param why text for the log
void fail(Comm& comm, int error, const std::string& why);

}  // namespace collbench::nccl_fake
