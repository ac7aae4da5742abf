#pragma once
// What one rank does, whoever hosts it: a process of the agent, or a thread inside Node. Builds the engine,
// then measures blocks: buffers, input pattern, timed operations, verification. Prints nothing.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/collective.h"
#include "engines/engine.h"
#include "measure/assembly.h"
#include "measure/trial.h"

namespace collbench::agent {

/// How engines are found; find_engine outside tests.
using EngineLookup = const EngineEntry* (*)(std::string_view name);

struct RankOptions {
  std::string engine = "cpu";
  EngineOptions engine_options;  // rank, ranks and cancelled are filled in by the session
  std::uint64_t seed = 0;
  bool stays_bound = false;  // its cores were chosen by who knows all machines
};

/// What a rank says once it is connected.
struct RankReady {
  std::string device, detail;
  Medium medium = Medium::kHardware;
  std::map<std::string, std::string> facts;  // Engine::facts
  bool unbound = false;  // it has left the core it was bound to: other hosts' ranks are bound to the same
};

struct MeasureSpec {
  Operation operation;
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
  std::string algorithm;  // "" = this rank does not know
  std::string protocol;
  std::map<std::string, std::uint64_t> paths;  // Engine::paths after the block
  TrialSamples samples;
  std::uint64_t operations = 0;  // executed in this block, warm-up included
  std::uint64_t checks = 0;      // operations whose result was compared
  WrongData wrong;
  TransportCounters counters;  // moved during this block
};

class RankSession {
 public:
  /// Connects; blocks until all ranks of the bootstrap have done so.
  /// @param board_index this rank's place on the board (ranks of one machine, ascending); where the bootstrap
  ///   has more ranks than the board, the rest is on other machines
  /// @throws Error as engines and bootstrap do; kInvalidArgument for an engine that is not there
  RankSession(Bootstrap& bootstrap, Board& board, int board_index, const RankOptions& options,
              EngineLookup lookup);

  [[nodiscard]] RankReady ready() const;

  /// One block; all ranks call it with equal specs.
  /// @throws Error(kInvalidArgument) for an operation that cannot be, kCancelled when the board was aborted
  RankOutcome measure(const MeasureSpec& spec);

 private:
  /// Where the calls of one operation lie: `places` copies of its buffers, `stride` bytes apart.
  struct Buffers {
    std::byte* send = nullptr;
    std::byte* recv = nullptr;
    std::size_t stride = 0;
    std::uint64_t places = 1;
    std::size_t misaligned = 0;  // bytes by which every place is off its alignment
  };
  Buffers take_buffers(const Operation& operation);
  [[nodiscard]] Call call_at(const Buffers& buffers, const Operation& operation, std::uint64_t number) const;
  void run(const Buffers& buffers, const Operation& operation, std::uint32_t operations);
  void mark(RankPhase phase, std::uint64_t block);

  Board& board_;
  int board_index_;
  int rank_, ranks_;
  std::unique_ptr<HostLink> link_;  // of the leader where ranks are on several machines
  Assembly all_;
  bool unbound_ = false;
  std::uint64_t seed_;
  std::unique_ptr<Engine> engine_;
  std::optional<Operation> filled_;  // operation whose input the buffers hold
  std::uint64_t calls_ = 0;          // made so far: the next one's place in the buffers
  std::vector<Call> batch_;
};

}  // namespace collbench::agent
