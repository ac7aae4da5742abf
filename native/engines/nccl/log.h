#pragma once
// NCCL's log as evidence: written into unnamed memory and read between blocks.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::nccl {

/// Facts found in one rank's NCCL log so far: connections, network, algorithm, warnings.
struct LogFindings {
  std::map<std::string, std::uint64_t>
      /// Number of connections by path: "P2P/CUMEM", "P2P/IPC", "SHM/direct", "NET/SISCI", "NET/IB/GDRDMA",
      /// "NVLS", "COLLNET/x"; without device numbers and "/Shared".
      paths;
  std::string network;  // Network in "Using network SISCI": "SISCI"; "" = not logged.
  std::string plugin;   // Net plugin that was loaded and its interface version: "SISCI v10".
  /// Algorithm and protocol of the last operation in the log, such as "Ring" and "LL"; "" = none in the log.
  std::string algorithm, protocol;
  std::string channels;               // First and last channel of that operation: "0..15"; "" = not logged.
  std::vector<std::string> warnings;  // Texts of WARN lines, at most 20.
  double init_s = 0;  // Seconds that NCCL's init took: 0.29 in "Init timings ... total 0.29"; 0 = not logged.
};

/// Parses one line of an NCCL log (2.8 or newer) and adds its facts to `findings`; formats as
/// in NCCL's sources up to 2.30. "[Symmetric]" becomes algorithm "Symmetric" with the kernel's name as
/// protocol, "[Copy Engine]" becomes "CopyEngine". Numbers that 2.20 to 2.23 write for algorithms and
/// protocols become names.
void take_line(std::string_view line, LogFindings& findings);

/// In-memory file (memfd) into which NCCL writes its log, by NCCL_DEBUG_FILE; all captures without an own
/// `fd` share it. It exists as long as the process. Text that is in the file at construction is skipped.
class LogCapture {
 public:
  /// @param fd open file to use instead of a memory file, not closed here; -1 = memory file
  /// @throws Error(kInternal) if no memory file can be created
  explicit LogCapture(int fd = -1);
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  [[nodiscard]] std::string path() const;  // Path of the file: "/proc/self/fd/N".
  [[nodiscard]] int fd() const { return fd_; }
  /// Reads the lines that were completed since the last call, adds their facts to findings(), and keeps the
  /// last 20 lines for tail().
  void update();
  [[nodiscard]] const LogFindings& findings() const { return findings_; }
  /// Clears algorithm, protocol and channels in findings(), so that the next NCCL operation sets them.
  void forget_choice();
  /// Returns the last lines of the log up to the last update(), at most 20, without empty ones.
  [[nodiscard]] const std::vector<std::string>& tail() const { return tail_; }

 private:
  int fd_ = -1;
  std::int64_t read_to_ = 0;
  std::string partial_;
  LogFindings findings_;
  std::vector<std::string> tail_;
};

}  // namespace collbench::nccl
