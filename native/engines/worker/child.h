#pragma once
// A child process that speaks lines: its program text comes from this binary, its answers over a pipe of
// their own. It never outlives the process that started it.
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transports/socket/address.h"

namespace collbench::worker {

struct ChildRequest {
  std::string program;  // path, or a name to be found in PATH
  std::string text;     // what the program runs: its first argument is a file with it; "" = no such argument
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // over what this process has
  int log_fd = -1;                                 // gets standard output and error; -1 = nobody
  int library_log_fd = -1;                         // for a library's own log; -1 = nobody
  bool runs_text = true;                           // false: the file is there, and no argument
};

/// Descriptors of the child's ends, as it finds them.
inline constexpr int kChildReads = 3;
inline constexpr int kChildWrites = 4;
inline constexpr int kChildText = 5;
inline constexpr int kChildLibraryLog = 6;

class Child {
 public:
  /// @throws Error(kUnavailable) a program that is not there
  explicit Child(const ChildRequest& request);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Ends it and all that it has started and left behind.
  ~Child();
  /// False: it reads no longer.
  bool say(const std::string& line);
  /// The next line without its newline. @param cancelled polled; may be empty
  /// @throws Error(kCancelled); Error(kInternal) when it has ended, saying how
  std::string hear(const std::function<bool()>& cancelled);
  /// Lets it end by itself for so long, then kills it. @returns whether it ended with status 0
  bool end(std::int64_t grace_ns);
  /// Waits so long for its end.
  [[nodiscard]] bool ended(std::int64_t limit_ns) { return reap(limit_ns); }
  /// How it ended: "was killed by signal 9 (Killed)".
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  bool reap(std::int64_t limit_ns);
  void forget();

  socket::FileDescriptor to_, from_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  std::string pending_;
  std::deque<std::string> lines_;
};

/// Kills and reaps what is left of the descendants of this process that the kernel has handed to it; no
/// Child.
void end_orphans();

}  // namespace collbench::worker
