#pragma once
// A child process that communicates by lines: its program text is compiled into this binary, its answers come
// over a separate pipe. It cannot outlive the process that started it.
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"

namespace collbench::worker {

struct ChildRequest {
  std::string program;  // Path, or a name to be found in PATH.
  std::string text;     // Program text; the first argument is a file with it. "" = no such argument.
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // Variables added to those of this process.
  int log_fd = -1;                                 // Receives standard output and error; -1 = discarded.
  int library_log_fd = -1;                         // Receives a library's own log; -1 = none.
  bool runs_text = true;  // False: the file exists, but is not passed as an argument.
};

/// File descriptors in the child process: input lines, output lines, its program text, and the log of its
/// libraries.
inline constexpr int kChildReads = 3;
inline constexpr int kChildWrites = 4;
inline constexpr int kChildText = 5;
inline constexpr int kChildLibraryLog = 6;

class Child {
 public:
  /// Starts the child, which the kernel kills when the thread that started it ends. Orphaned descendants
  /// become children of this process from here on.
  /// @throws Error(kUnavailable) if the program cannot be started; Error(kInternal) without pipes or
  /// processes
  explicit Child(const ChildRequest& request);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills the child if it still runs, then calls end_orphans().
  ~Child();
  /// Sends a line to the child. @returns false if the child does not read its input any more
  bool send(const std::string& line);
  /// Waits for the child's next line and returns it without its newline.
  /// @param cancelled polled while waiting; may be empty
  /// @throws Error(kCancelled) once `cancelled` returns true; Error(kInternal) with describe_exit() if the
  /// child has ended or closed its pipe; Error(kProtocol) for a line of more than 16 MiB
  std::string receive(const std::function<bool()>& cancelled);
  /// Closes the child's input and waits up to `grace_ns` nanoseconds until the child ends by itself, then
  /// kills it.
  /// @returns true if it ended with exit status 0
  bool end(std::int64_t grace_ns);
  /// Waits up to `limit_ns` nanoseconds until the child ends. @returns true if it has ended
  [[nodiscard]] bool ended(std::int64_t limit_ns) { return reap(limit_ns); }
  /// Returns how the child ended, as text: "was killed by signal 9 (Killed)", "ended with status 1"; "closed
  /// its pipe and goes on" if it has not ended.
  [[nodiscard]] std::string describe_exit() const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  bool reap(std::int64_t limit_ns);
  void forget();

  FileDescriptor to_, from_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  std::string pending_;
  std::deque<std::string> lines_;
};

/// Kills and reaps all children of this process that are not owned by a Child object. These are processes
/// that a Child started and that became children of this process after their parent ended.
void end_orphans();

}  // namespace collbench::worker
