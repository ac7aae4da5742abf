#include "agent/forensics/workers.h"

#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "core/process_tree.h"
#include "metrics/inventory.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kMaxFrames = 8;
constexpr std::string_view kHead = " (most recent call first):";

/// Returns "/home/a/train.py:14 in step" for a line as faulthandler writes it: '  File "/home/a/train.py",
/// line 14 in step'. The whole path is kept. Returns "" for other lines.
std::string frame_of(const std::string& line) {
  constexpr std::string_view kFile = "  File \"", kLine = "\", line ";
  const std::size_t middle = line.rfind(kLine);
  if (!line.starts_with(kFile) || middle == std::string::npos) return "";
  return line.substr(kFile.size(), middle - kFile.size()) + ":" + line.substr(middle + kLine.size());
}

/// Returns true if a stack may wait for other ranks, which is recognised by the source folders of frameworks
/// in its frames. These include torch/autograd, because a backward pass waits for DDP's collectives. The
/// result is also true for this project's own worker file collbench.py, which waits for the next step.
bool waits(const std::vector<std::string>& stack) {
  return std::any_of(stack.begin(), stack.end(), [](const std::string& frame) {
    for (const char* sign : {"/torch/distributed/", "/torch/autograd/", "/tensorflow/python/", "/mpi4py/",
                             "/jax/", "/collbench.py:"})
      if (frame.find(sign) != std::string::npos) return true;
    return false;
  });
}

}  // namespace

bool has_signal_handler(pid_t pid, int signal) {
  const std::string text = metrics::read_small_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = text.find("\nSigCgt:");
  if (at == std::string::npos) return false;
  const unsigned long long caught = std::strtoull(text.c_str() + at + 8, nullptr, 16);
  return ((caught >> (signal - 1)) & 1U) != 0;
}

void ask_worker_stacks(pid_t worker) {
  for (const pid_t pid : process_tree(worker))
    if (has_signal_handler(pid, SIGUSR2)) kill(pid, SIGUSR2);
}

std::vector<std::string> last_python_stack(const std::string& output) {
  std::vector<std::string> stack;
  const std::size_t head = output.rfind(kHead);
  if (head == std::string::npos) return stack;
  std::size_t at = output.find('\n', head);
  while (at != std::string::npos && stack.size() < kMaxFrames) {
    const std::size_t end = output.find('\n', at + 1);
    const std::string frame = frame_of(output.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    if (frame.empty()) break;
    stack.push_back(frame);
    at = end;
  }
  return stack;
}

bool is_stack_line(const std::string& line) { return line.ends_with(kHead) || !frame_of(line).empty(); }

std::optional<std::size_t> only_rank_not_waiting(const std::vector<std::vector<std::string>>& stacks) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (stacks[i].empty()) return std::nullopt;
    if (waits(stacks[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return stacks.size() < 2 ? std::nullopt : found;
}

}  // namespace collbench::agent
