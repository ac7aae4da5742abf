#pragma once
// Starting a rank (or a probe) process so that it can never outlive the agent: own process group, killed by
// the kernel when the agent dies, nothing inherited but its control socket (fd 3), the board (fd 4) and the
// file that libraries of its engine log into (fd 5).
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "agent/line_channel.h"
#include "measure/board.h"

namespace collbench::agent {

inline constexpr int kControlFd = 3;
inline constexpr int kBoardFd = 4;
inline constexpr int kEngineLogFd = 5;

/// Board in memory without a name, to be inherited by the ranks.
class SharedBoard {
 public:
  /// @throws Error(kInternal) when the kernel gives no memory
  explicit SharedBoard(int ranks);
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  [[nodiscard]] Board& board() const noexcept { return *board_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  UniqueFd fd_;
  std::size_t bytes_;
  Board* board_;
};

struct SpawnRequest {
  std::vector<std::string> words;  // behind collbench-agent: {"rank", "3", "0"}
  int board_fd = -1;
  int log_fd = -1;
  std::vector<int> cpus;                           // may run on these alone; empty = on those of the agent
  std::vector<int> memory_nodes;                   // has its memory there alone; empty = anywhere
  std::map<std::string, std::string> environment;  // on top of our own
};
struct SpawnedProcess {
  pid_t pid = -1;
  UniqueFd control;       // non-blocking
  UniqueFd error_output;  // its stderr and stdout, non-blocking
};
/// Runs `/proc/self/exe WORDS`. @throws Error(kInternal) when the kernel refuses
SpawnedProcess spawn(const SpawnRequest& request);

}  // namespace collbench::agent
