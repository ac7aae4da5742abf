#pragma once
// A communicator of the fake.
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

/// The factor of a premultiplied sum: one element, or where on the device it lies when an operation runs.
struct PremulSum {
  int dtype = 0;
  std::byte scalar[8] = {};
  const void* on_device = nullptr;
};

struct Comm {
  // Set before the communicator is given out.
  int rank = 0, ranks = 1, ordinal = 0, physical = 0;
  bool blocking = true;
  Faults faults;
  Mesh mesh;
  std::string network;

  std::atomic<bool> aborted{false}, finished{false};
  std::atomic<int> error{kSuccess};  // what ncclCommGetAsyncError tells once it is not 0

  // Owned by the operation that runs.
  std::mutex run_mutex;
  std::uint64_t operations = 0;

  std::mutex mutex;  // guards all below
  std::condition_variable changed;
  int queued = 0;                              // operations on a stream, not yet complete
  int busy = 0;                                // background jobs of a non-blocking communicator
  int polls_left = 0;                          // ncclCommGetAsyncError says ncclInProgress so often
  std::vector<std::function<int()>> deferred;  // launches that wait for those polls
  std::map<int, PremulSum> ops;
  int next_op = kFirstOwnOp;
  std::set<std::uintptr_t> registrations;
  std::uintptr_t next_registration = 1;
  std::set<int> connected;  // whose "Channel" lines are out: peers, and -1 for the ring
};

/// Handle to live communicator; nullptr for anything else.
std::shared_ptr<Comm> find_comm(void* handle);

/// Connects to all other ranks and settles what NCCL settles then. @param root of the unique id
/// @return ncclResult_t
int initialize(Comm& comm, const std::string& root, const char* call);
/// The same for a communicator of some ranks of another. @param child nullptr where this rank has no part
int split(Comm& parent, int color, int key, Comm* child);
/// 0, ncclInProgress or the error; a poll in the sense of ncclCommGetAsyncError. Launches what was deferred.
int poll_state(const std::shared_ptr<Comm>& comm);
/// Whether a call may use it: ncclInvalidArgument where there is none and while an earlier call is in
/// progress, or the error.
int require_ready(const std::shared_ptr<Comm>& comm);
/// Runs `job` now, or in the background for a non-blocking communicator, whose state it becomes.
/// @return its result or ncclInProgress
int run_job(const std::shared_ptr<Comm>& comm, const std::function<int()>& job);
/// Waits until all its operations are complete; deferred ones are launched.
void drain(Comm& comm);
/// Remembers the first error.
void fail(Comm& comm, int error, const std::string& why);

}  // namespace collbench::nccl_fake
