#include "emulated/conformance/sisci/blocked_call.h"

#include <fstream>

#include "core/spin.h"

namespace collbench::conformance::sisci {
namespace {

/// Returns the state of a thread as in proc(5): 'S' = sleeping; '?' if there is no such thread.
char state_of(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '?' : text[name_end + 2];
}

}  // namespace

BlockedCall::BlockedCall(std::function<sci_error_t()> call)
    : thread_([state = state_, call = std::move(call)] {
        state->thread_id = gettid();
        state->result.add(call());
      }) {}

BlockedCall::~BlockedCall() {
  // A call that nothing ends must not block the end of the test.
  if (state_->result.count() > 0)
    thread_.join();
  else
    thread_.detach();
}

void BlockedCall::await_asleep() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (state_->thread_id == 0 || state_of(state_->thread_id) != 'S') {
    if (std::chrono::steady_clock::now() > deadline) throw TestSkipped{"the call polls and does not sleep"};
    yield_core();
  }
}

sci_error_t BlockedCall::result() { return state_->result.at(0); }

}  // namespace collbench::conformance::sisci
