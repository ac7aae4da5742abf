#pragma once
#include <functional>
#include <string>
#include <vector>

namespace collbench {

struct CompilerEnd {
  bool success = false;
  bool cancelled = false;
  std::string how;  // "exit status 1", "killed by signal 9", "cannot be started: ..."
};

/// Runs a program by its path, no shell, and waits; what it prints goes to `log`. When `cancelled` says so,
/// the program and its children are killed.
CompilerEnd run_compiler(const std::vector<std::string>& command, const std::string& log,
                         const std::function<bool()>& cancelled);

}  // namespace collbench
