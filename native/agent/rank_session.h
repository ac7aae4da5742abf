#pragma once
// What one rank does, whoever hosts it: a process of the agent, or a thread inside Node. Builds the engine,
// then measures blocks: the workload's units, timed and verified. Prints nothing.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "agent/load.h"
#include "engines/engine.h"
#include "measure/assembly.h"
#include "measure/trial.h"
#include "metrics/process_sockets.h"
#include "workloads/workload.h"

namespace collbench::agent {

struct RankOptions {
  std::string engine = "cpu";
  EngineOptions engine_options;  // rank, ranks and cancelled are filled in by the session
  std::uint64_t seed = 0;
  bool stays_bound = false;  // its cores were chosen by who knows all machines
  bool has_process = false;  // of its own: the sockets of the process are this rank's
};

/// What a rank says once it is connected.
struct RankReady {
  std::string device, detail;
  Medium medium = Medium::kHardware;
  std::map<std::string, std::string> facts;  // Engine::facts
  bool unbound = false;  // it has left the core it was bound to: other hosts' ranks are bound to the same
};

struct MeasureSpec {
  WorkloadRequest workload;
  TrialSpec trial;
  bool check = true;     // fill and verify as trial.check_every says
  bool release = false;  // give large buffers back afterwards
  /// CLOCK_MONOTONIC of this machine at which the trial begins, warm-up included; buffers are filled before.
  /// An instant that has passed, and 0: at once.
  std::int64_t start_at_ns = 0;
};

/// The first wrong element in the order of measuring; values as text so that 64-bit integers survive.
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
  Choice choice;
  std::map<std::string, std::uint64_t> paths;  // Engine::paths after the block
  TrialSamples samples;
  std::uint64_t operations = 0;  // units of work executed in this block, warm-up included
  std::uint64_t checks = 0;      // units whose result was compared
  WrongData wrong;
  TransportCounters counters;                       // moved during this block
  std::optional<LoadOutcome> load;                  // of what worked beside
  std::optional<metrics::SocketsReceived> sockets;  // of this process meanwhile, where known
};

class RankSession {
 public:
  /// Connects; blocks until all ranks of the bootstrap have done so.
  /// @param board_index this rank's place on the board (ranks of one machine, ascending); where the bootstrap
  ///   has more ranks than the board, the rest is on other machines
  /// @param engines those of this build; tests bring their own
  /// @throws Error as engines and bootstrap do; kInvalidArgument for an engine that is not there
  RankSession(Bootstrap& bootstrap, Board& board, int board_index, const RankOptions& options,
              std::span<const EngineEntry> engines);

  [[nodiscard]] RankReady ready() const;

  /// One block; all ranks call it with equal specs.
  /// @throws Error(kInvalidArgument) for a workload that cannot be, kCancelled when the board was aborted
  RankOutcome measure(const MeasureSpec& spec);

 private:
  Workload& workload_of(const MeasureSpec& spec);
  void make_load(Bootstrap& bootstrap, const std::string& word, const EngineOptions& options,
                 bool stays_bound);
  void mark(RankPhase phase, std::uint64_t block);
  [[nodiscard]] metrics::SocketBytes read_own_sockets() const;

  Board& board_;
  int board_index_;
  int rank_, ranks_;
  std::unique_ptr<HostLink> link_;  // of the leader where ranks are on several machines
  Assembly all_;
  bool unbound_ = false;
  std::uint64_t seed_;
  bool has_process_;
  const EngineEntry* entry_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Load> load_;  // ends before the engine; null = nothing works beside
  WorkloadRequest request_;     // what workload_ was made for
  std::unique_ptr<Workload> workload_;
  std::uint64_t units_done_ = 0;
};

}  // namespace collbench::agent
