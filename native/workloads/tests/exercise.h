#pragma once
// One workload put through its paces on ranks that are threads.
#include <string>
#include <vector>

#include "engines/tests/exercise.h"
#include "workloads/registry.h"

namespace collbench::test {

/// A transport, and the kind of its queues where it is ibgda.
struct Over {
  std::string transport, queue;
  Over(const char* name, const char* kind = "rc") : transport(name), queue(kind) {}
  Over(std::string name) : transport(std::move(name)), queue("rc") {}
};

/// Of one of so many ranks, all of them on this machine.
EngineOptions options_for(const std::string& engine, const Over& over, const std::function<bool()>& cancelled,
                          int rank, int ranks);

/// What all ranks together found.
struct Exercised {
  std::uint64_t compared = 0, wrong = 0;
  std::vector<std::string> complaints;  // one line per rank and iteration that was wrong
};

/// Prepares, runs and verifies `request` on `ranks` ranks of that engine: single units, then batches, with
/// fresh data each time.
/// @param runs false: nothing is run, so that verification must find the poison
/// @param more units in each batch than usual
/// @throws Error as the first rank that failed
Exercised exercise(const std::string& engine, const Over& over, int ranks,
                   const std::vector<WorkloadRequest>& requests, bool runs = true, std::uint32_t more = 0);

/// Parts of the last of a few units, on rank 0 of two. @throws as exercise()
Columns columns_of(const std::string& engine, const Over& over, const WorkloadRequest& request);

/// Transports of the cpu engine that can run on this machine.
std::vector<std::string> runnable_transports();

}  // namespace collbench::test
