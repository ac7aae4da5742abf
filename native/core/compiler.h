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

/// Runs a program by its path, without a shell, and waits for its end. The program's output goes to the file
/// `log`. When `cancelled` returns true, the program and its children are killed.
CompilerResult run_compiler(const std::vector<std::string>& command, const std::string& log,
                            const std::function<bool()>& cancelled);

}  // namespace collbench
