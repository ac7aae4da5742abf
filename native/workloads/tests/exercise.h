#pragma once
// Tests one workload on ranks that are threads.
#include <string>
#include <vector>

#include "engines/tests/exercise.h"
#include "workloads/registry.h"

namespace collbench::test {

/// A transport, and the kind of its queues if it is ibgda.
struct TransportCase {
  std::string transport, queue;
  TransportCase(const char* name, const char* kind = "rc") : transport(name), queue(kind) {}
  TransportCase(std::string name) : transport(std::move(name)), queue("rc") {}
};

/// Returns the options of one rank; all ranks are on this machine.
EngineOptions options_for(const std::string& engine, const TransportCase& carrier,
                          const std::function<bool()>& cancelled, int rank, int ranks);

/// Verification result of all ranks together.
struct ExerciseResult {
  std::uint64_t compared = 0, wrong = 0;
  std::vector<std::string> complaints;  // One line per rank and iteration that was wrong.
};

/// Prepares, runs and verifies `request` on `ranks` ranks of that engine: single units, then batches, with
/// fresh data each time.
/// @param runs false: nothing is run, so verification must find the poison
/// @param more more units per batch than usual
/// @throws Error as the first rank that failed
ExerciseResult exercise(const std::string& engine, const TransportCase& carrier, int ranks,
                        const std::vector<WorkloadRequest>& requests, bool runs = true,
                        std::uint32_t more = 0);

/// Returns the reason for which the cpu engine over sockets refuses a request; "accepted" if it runs.
std::string refusal(const WorkloadRequest& request, int ranks = 2);

/// Returns the parts of the last of a few units, on rank 0 of two. @throws as exercise()
OperationColumns columns_of(const std::string& engine, const TransportCase& carrier,
                            const WorkloadRequest& request);

/// Returns the transports of the cpu engine that can run on this machine.
std::vector<std::string> runnable_transports();

}  // namespace collbench::test
