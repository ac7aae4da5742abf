#pragma once
// Reads the report of UCX: the version and the lanes of endpoints, which it writes to standard output at log
// level "info".
#include <cstdint>
#include <map>
#include <string>

#include "core/file_descriptor.h"

namespace collbench::mpi {

struct UcxLanes {
  std::string version;  // "1.13.1"; "" = not reported.
  /// Number of endpoint configurations by lane (transport and device), without those of a rank to itself:
  /// {"UCX/tcp/eth0": 1}.
  std::map<std::string, std::uint64_t> paths;
};

/// Parses log lines of UCX 1.10 and newer; other lines are skipped.
UcxLanes parse_ucx_log(const std::string& text);

/// Redirects the standard output of this process to a file for as long as the process lives, so that the
/// report of UCX can be read here and stays in the log of the rank.
class UcxReport {
 public:
  /// @param log_fd file that receives standard output; -1 = a file in memory
  explicit UcxReport(int log_fd);
  /// Returns what UCX reported since the construction of this object.
  [[nodiscard]] UcxLanes lanes() const;

 private:
  FileDescriptor memory_;
  int log_fd_;
  long long begin_ = 0;
};

}  // namespace collbench::mpi
