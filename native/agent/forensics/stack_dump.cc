#include "agent/forensics/stack_dump.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>

namespace collbench::agent {
namespace {

// Only async-signal-safe work: hexadecimal by hand and write(2). Names are looked up by the agent
// (symbols.h).
void write_address(std::uintptr_t address) {
  char line[64];
  char* at = line;
  for (const char c : kStackPrefix) *at++ = c;
  *at++ = '0';
  *at++ = 'x';
  for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(address >> shift) & 15U];
  *at++ = '\n';
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line, static_cast<std::size_t>(at - line));
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* depth) {
  constexpr int kOwn = 2;  // the handler and the kernel's way into it
  constexpr int kDeepest = 48;
  int& frames = *static_cast<int*>(depth);
  if (++frames > kDeepest) return _URC_END_OF_STACK;
  if (frames <= kOwn) return _URC_NO_REASON;
  if (const std::uintptr_t address = _Unwind_GetIP(context); address != 0) write_address(address);
  return _URC_NO_REASON;
}

void on_signal(int) {
  const int saved = errno;
  int depth = 0;
  _Unwind_Backtrace(&visit, &depth);
  constexpr char kEnd[] = "collbench-stack end\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kEnd, sizeof kEnd - 1);
  errno = saved;
}

}  // namespace

void install_stack_dump() {
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
}

}  // namespace collbench::agent
