#pragma once
// Runs ranks as separate processes.
#include <map>
#include <string>
#include <vector>

namespace fake_test {

struct ProcessExit {
  int code = 0;     // Exit code, or 128 + signal.
  std::string out;  // Output of the process on stdout.
};
/// Runs fake_rank once per rank, in parallel. `variables` are set for all ranks, `own[r]` for rank r.
std::vector<ProcessExit> run_processes(const std::string& scenario, int ranks,
                                       const std::map<std::string, std::string>& variables = {},
                                       const std::vector<std::map<std::string, std::string>>& own = {});

}  // namespace fake_test
