#pragma once
// NCCL's own words as evidence: its log goes into memory without a name and is read back between blocks.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::nccl {

/// What the lines of one rank say so far.
struct LogFindings {
  std::map<std::string, std::uint64_t>
      paths;                        // connections by way: "P2P/CUMEM", "P2P/IPC", "SHM/direct", "NET/SISCI",
                                    // "NET/IB/GDRDMA", "NVLS", "COLLNET/x": no device numbers, no "/Shared"
  std::string network;              // "Using network SISCI": "SISCI"; "" = not said
  std::string plugin;               // net plugin that was loaded and version of its interface: "SISCI v10"
  std::string algorithm, protocol;  // of the last operation that was logged ("Ring", "LL"); "" = none logged
  std::string channels;             // "0..15"
  std::vector<std::string> warnings;  // texts of WARN lines, at most 20
  double init_s = 0;                  // "Init timings ... total 0.29"
};

/// Takes one line (any NCCL from 2.8: formats in nccl-net-abi.md section 8, incl. "[Symmetric]" -> algorithm
/// "Symmetric", protocol = kernel name; "[Copy Engine]" -> "CopyEngine"; numeric algo/proto of 2.20-2.23
/// mapped to names).
void take_line(std::string_view line, LogFindings& findings);

/// A memfd that NCCL_DEBUG_FILE can point at; survives for the life of the process.
class LogCapture {
 public:
  /// @param fd open file to use, not closed here; -1 = memory of the process's own
  /// @throws Error(kInternal)
  explicit LogCapture(int fd = -1);
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  [[nodiscard]] std::string path() const;  // "/proc/self/fd/N"
  [[nodiscard]] int fd() const { return fd_; }
  /// Reads what is new; whole lines only. Also keeps the last lines for tail().
  void update();
  [[nodiscard]] const LogFindings& findings() const { return findings_; }
  /// Forgets algorithm, protocol and channels, so that the next operation's stand alone.
  void forget_choice();
  [[nodiscard]] const std::vector<std::string>& tail() const { return tail_; }  // last 20 lines

 private:
  int fd_ = -1;
  std::int64_t read_to_ = 0;
  std::string partial_;
  LogFindings findings_;
  std::vector<std::string> tail_;
};

}  // namespace collbench::nccl
