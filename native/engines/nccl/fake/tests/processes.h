#pragma once
// Ranks as processes of their own.
#include <map>
#include <string>
#include <vector>

namespace fake_test {

struct Ended {
  int code = 0;     // exit code; 128 + signal
  std::string out;  // what it wrote to stdout
};
/// Runs fake_rank once per rank, at the same time; `variables` are set for all of them, `own[r]` for rank
/// r.
std::vector<Ended> run_processes(const std::string& scenario, int ranks,
                                 const std::map<std::string, std::string>& variables = {},
                                 const std::vector<std::map<std::string, std::string>>& own = {});

}  // namespace fake_test
