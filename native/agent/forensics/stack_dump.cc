#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <cstddef>
#include <cstdint>

#include "agent/forensics/symbols.h"

namespace collbench::agent {
namespace {

// Writes one line with async-signal-safe calls only: hexadecimal digits by hand and write(2). The agent looks
// up the names (symbols.h).
void write_line(std::string_view word, std::uintptr_t address) {
  char line[64];
  char* at = line;
  for (const char c : kStackPrefix) *at++ = c;
  for (const char c : word) *at++ = c;
  *at++ = '0';
  *at++ = 'x';
  for (int shift = 60; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[(address >> shift) & 15U];
  *at++ = '\n';
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line, static_cast<std::size_t>(at - line));
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* depth) {
  constexpr int kOwn = 3;  // Frames to skip: this function, the handler and the kernel's signal frame.
  constexpr int kDeepest = 48;
  int& frames = *static_cast<int*>(depth);
  if (++frames > kDeepest) return _URC_END_OF_STACK;
  if (frames <= kOwn) return _URC_NO_REASON;
  // 1 = the address of the faulting instruction; 0 = a return address, which may already belong to the next
  // function.
  int is_exact = 0;
  std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
  if (address != 0 && is_exact == 0) --address;
  if (address != 0) write_line("", address);
  return _URC_NO_REASON;
}

[[gnu::noinline]] void write_stack() {
  int depth = 0;
  _Unwind_Backtrace(&visit, &depth);
}

void on_signal(int) {
  const int saved = errno;
  write_stack();
  constexpr char kEnd[] = "collbench-stack end\n";
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, kEnd, sizeof kEnd - 1);
  errno = saved;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void on_crash(int number) {
  signal(number, SIG_DFL);  // Restores the default action, also for a second fault in this handler.
  sigset_t go;
  sigemptyset(&go);
  sigaddset(&go, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &go, nullptr);
  write_stack();
  write_line(kStackCrash, static_cast<std::uintptr_t>(syscall(SYS_gettid)));
  constexpr timespec kPatience{2, 0};
  sigtimedwait(&go, nullptr, &kPatience);
  raise(number);  // The signal is delivered when the handler returns.
}
#endif

}  // namespace

void install_crash_dump() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // The handler needs its own stack, because the normal one may have overflowed.
  static char stack[std::size_t{64} << 10];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = &on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(number, &action, nullptr);
#endif
}

void install_stack_dump() {
  struct sigaction action = {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
}

}  // namespace collbench::agent
