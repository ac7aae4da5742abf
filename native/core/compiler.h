#pragma once
#include <functional>
#include <string>
#include <vector>

namespace collbench {

struct CompilerResult {
  bool success = false;
  bool cancelled = false;
  std::string
      how;  // End of the process in words: "exit status 1", "killed by signal 9", "cannot be started: ...".
};

/// Runs a program (its path, then its arguments) without a shell, and waits until it ends. Its output goes to
/// the file `log`.
/// @param cancelled polled; true kills the program and its children
CompilerResult run_compiler(const std::vector<std::string>& command, const std::string& log,
                            const std::function<bool()>& cancelled);

}  // namespace collbench
