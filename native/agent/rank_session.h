#pragma once
// Session of one rank, hosted by a rank process or by a thread inside Node. It creates the engine and
// measures blocks: units of a workload, timed and verified. Prints nothing.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "agent/load.h"
#include "engines/engine.h"
#include "measure/arrival_skew.h"
#include "measure/rank_group.h"
#include "measure/trial.h"
#include "metrics/process_sockets.h"
#include "workloads/workload.h"

namespace collbench::agent {

struct RankOptions {
  std::string engine = "cpu";
  EngineOptions engine_options;  // Options for the engine; the session fills in rank, ranks and cancelled.
  std::uint64_t seed = 0;
  /// True if the controller has chosen the rank's cores. Then the rank stays bound to them, because the
  /// controller knows the ranks of all hosts.
  bool stays_bound = false;
  /// True if the rank is a process of its own, not a thread. Then all sockets of the process belong to this
  /// rank.
  bool has_process = false;
};

/// Report of a rank when its engine (such as NCCL) has connected to all other ranks. `device` is the name of
/// the network device or GPU.
struct RankReady {
  std::string device;
  TransportDetail detail;
  Medium medium = Medium::kHardware;
  std::map<std::string, std::string> facts;  // Facts of the engine by name, such as "nccl.version".
  /// True if the rank is no longer bound to a core, because ranks of another host (in fact the same machine)
  /// are bound to the same core.
  bool unbound = false;
};

struct MeasureSpec {
  WorkloadRequest workload;
  TrialSpec trial;
  bool check = true;     // If true, data are filled and verified as trial.check_every says.
  bool release = false;  // If true, large buffers are freed after the block.
  /// CLOCK_MONOTONIC time in ns at which the block starts, including its warm-up; buffers are filled before.
  /// 0 or a time in the past = start at once.
  std::int64_t start_at_ns = 0;
};

/// The first wrong element of a block: `iteration` is the number of the operation, `index` its position in
/// the receive buffer. `wanted` and `got` are decimal text, so that 64-bit integers are exact; `note` says
/// where the value may come from ("" = not known).
struct FirstWrong {
  std::uint64_t iteration = 0, index = 0;
  std::string wanted, got, note;
};
struct WrongData {
  std::uint64_t wrong_elements = 0, compared_elements = 0;
  std::optional<FirstWrong> first;
};

struct RankOutcome {
  int rank = 0;
  EngineChoice choice;
  /// Number of the engine's connections so far, by path: {"P2P/CUMEM": 24}. Read after the block.
  std::map<std::string, std::uint64_t> paths;
  TrialSamples samples;
  std::uint64_t operations = 0;  // Units of work executed in this block, warm-up included.
  std::uint64_t checks = 0;      // Units whose result was compared.
  WrongData wrong;
  TransportCounters counters;       // Bytes and messages moved during this block, warm-up included.
  std::optional<LoadOutcome> load;  // Work of the concurrent load; absent = there was none.
  /// Bytes that all TCP sockets of this rank process received during the block, or that the engine counted
  /// itself (Engine::counts_sockets). Absent if the engine does not count, and either ranks are threads or
  /// the kernel does not count the bytes of a socket.
  std::optional<metrics::SocketsReceived> sockets;
};

class RankSession {
 public:
  /// Creates the engine and connects to the other ranks; returns when all have connected.
  /// @param local_index index of this rank among the ranks of its machine. Ranks of `bootstrap` that are not
  /// on this machine have none.
  /// @param engines engines of this build; tests pass their own list
  /// @throws errors of engine and bootstrap; Error(kInvalidArgument) if the engine is not in the list
  RankSession(Bootstrap& bootstrap, SharedState& shared_state, int local_index, const RankOptions& options,
              std::span<const EngineEntry> engines);

  [[nodiscard]] RankReady ready() const;

  /// Measures one block: fills buffers, warms up, takes and verifies samples. All ranks must call it with
  /// equal specs.
  /// @throws Error(kInvalidArgument) for an impossible workload; kCancelled if the abort flag is set
  RankOutcome measure(const MeasureSpec& spec);

 private:
  Workload& workload_of(const MeasureSpec& spec);
  void make_load(Bootstrap& bootstrap, const std::string& word, const EngineOptions& options,
                 bool stays_bound);
  void mark(RankPhase phase, std::uint64_t block);
  [[nodiscard]] metrics::SocketBytes read_own_sockets() const;

  SharedState& shared_state_;
  int local_index_;
  int rank_, ranks_;
  std::unique_ptr<HostLink> link_;  // The leader's link if ranks are on several machines; else null.
  RankGroup group_;
  bool unbound_ = false;
  std::uint64_t seed_;
  bool has_process_;
  const EngineEntry* entry_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ConcurrentLoad> load_;  // Ends before the engine; null = no concurrent load.
  ArrivalSkew skew_;                      // Its time is 0 if no rank is delayed.
  WorkloadRequest request_;               // Request that workload_ was created for.
  std::unique_ptr<Workload> workload_;
  std::uint64_t units_done_ = 0;
};

}  // namespace collbench::agent
