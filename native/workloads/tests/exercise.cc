#include "workloads/tests/exercise.h"

#include <doctest/doctest.h>

#include <mutex>

#include "core/error.h"

namespace collbench::test {
namespace {

constexpr const char* kToken = "00112233445566778899aabbccddeeff";
constexpr std::uint64_t kIterations = 3;

std::string line_of(const WorkloadRequest& request, int rank, std::uint64_t iteration, std::uint32_t units,
                    const Verification& found) {
  std::string text = describe(request);
  for (const auto& [axis, value] : request.axes.values()) text += " " + axis + "=" + describe(value);
  return text + ", rank " + std::to_string(rank) + ", iteration " + std::to_string(iteration) + " of " +
         std::to_string(units) + " units: " + std::to_string(found.wrong) + " wrong, first " +
         std::to_string(found.first_index) + " wanted " + found.wanted + " got " + found.got + " " +
         found.note;
}

}  // namespace

EngineOptions options_for(const std::string& engine, const TransportCase& carrier,
                          const std::function<bool()>& cancelled, int rank, int ranks) {
  EngineOptions options;
  options.transport = carrier.transport;
  options.transport_options.queue = carrier.queue;
  options.transport_options.token = kToken;
  options.cancelled = cancelled;
  options.local_rank = rank;
  options.local_ranks = ranks;
  if (engine != "cpu") options.spins = 0;  // Threads that play GPUs need the cores, too.
  return options;
}

ExerciseResult exercise(const std::string& engine, const TransportCase& carrier, int ranks,
                        const std::vector<WorkloadRequest>& requests, bool runs, std::uint32_t more) {
  ExerciseResult all;
  std::mutex mutex;
  const EngineEntry& entry = *find_engine(engines(), engine);
  on_ranks(ranks, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    const auto made =
        entry.create(bootstrap, options_for(engine, carrier, cancelled, bootstrap.rank(), ranks));
    const int rank = bootstrap.rank();
    std::uint64_t units_done = 0;
    for (const WorkloadRequest& request : requests) {
      const auto workload = create_workload(entry, request, {*made, rank, ranks, 99, 0, units_done});
      for (std::uint64_t iteration = 0; iteration < kIterations; ++iteration) {
        std::uint32_t units = 1 + more + 2 * static_cast<std::uint32_t>(iteration);
        // The last round verifies every unit of the batch if the workload can.
        const bool last = iteration + 1 == kIterations;
        if (!last && !workload->repeatable()) units = 1;
        if (!last) {
          workload->prepare(iteration, units, units);
        } else if (!workload->prepare_more(iteration, units, units, true)) {
          units = 1;
          workload->prepare(iteration, units, units);
        }
        bootstrap.all_gather("prepared", "");
        if (runs) {
          workload->run(units);
          workload->wait();
          units_done += units;
        }
        const Verification found = workload->verify(iteration);
        bootstrap.all_gather("verified", "");
        const std::lock_guard lock(mutex);
        all.compared += found.compared;
        all.wrong += found.wrong;
        if (found.wrong > 0 && all.complaints.size() < 5)
          all.complaints.push_back(line_of(request, rank, iteration, units, found));
      }
    }
  });
  return all;
}

std::string refusal(const WorkloadRequest& request, int ranks) {
  try {
    exercise("cpu", "socket", ranks, {request});
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "accepted";
}

OperationColumns columns_of(const std::string& engine, const TransportCase& carrier,
                            const WorkloadRequest& request) {
  OperationColumns columns;
  const EngineEntry& entry = *find_engine(engines(), engine);
  on_ranks(2, [&](Bootstrap& bootstrap, const std::function<bool()>& cancelled) {
    const auto made = entry.create(bootstrap, options_for(engine, carrier, cancelled, bootstrap.rank(), 2));
    const auto workload = create_workload(entry, request, {*made, bootstrap.rank(), 2, 99, 0, 0});
    bootstrap.all_gather("made", "");
    for (int n = 0; n < 3; ++n) {
      workload->run(1);
      workload->wait();
      if (bootstrap.rank() == 0) workload->take_columns(columns);
    }
    bootstrap.all_gather("run", "");
  });
  return columns;
}

std::vector<std::string> runnable_transports() {
  std::vector<std::string> names;
  for (const TransportEntry& entry : transports()) {
    TransportOptions options;
    options.token = kToken;
    if (entry.probe(options).available) names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace collbench::test
