#include "core/process_tree.h"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace collbench {
namespace {

void add_children(const std::string& process, std::vector<pid_t>& found) {
  std::error_code gone;  // Processes and threads may end while they are listed, so errors are ignored.
  const std::filesystem::directory_iterator threads("/proc/" + process + "/task", gone);
  if (gone) return;
  for (auto thread = begin(threads); thread != end(threads); thread.increment(gone)) {
    std::ifstream listed(thread->path() / "children");
    for (pid_t child = 0; listed >> child;) found.push_back(child);
    if (gone) break;
  }
}

}  // namespace

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) add_children(std::to_string(found[i]), found);
  return found;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  add_children("self", found);
  return found;
}

void end_children(const std::function<bool(pid_t)>& is_kept) {
  using std::chrono::steady_clock;
  for (const auto end = steady_clock::now() + std::chrono::seconds(5); steady_clock::now() < end;
       std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    bool any = false;
    for (const pid_t child : children()) {
      if (is_kept(child)) continue;
      any = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    if (!any) return;
  }
}

}  // namespace collbench
