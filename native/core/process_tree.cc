#include "core/process_tree.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace collbench {

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::error_code gone;  // processes and threads may end while they are listed
    const std::filesystem::directory_iterator threads("/proc/" + std::to_string(found[i]) + "/task", gone);
    if (gone) continue;
    for (auto thread = begin(threads); thread != end(threads); thread.increment(gone)) {
      std::ifstream children(thread->path() / "children");
      for (pid_t child = 0; children >> child;) found.push_back(child);
      if (gone) break;
    }
  }
  return found;
}

}  // namespace collbench
