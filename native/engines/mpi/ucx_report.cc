#include "engines/mpi/ucx_report.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <sstream>

#include "core/error.h"

namespace collbench::mpi {
namespace {

constexpr std::string_view kVersion = "Version ";

/// Adds the lanes in a list such as "tag(self/memory0 tcp/eth0) rma(self/memory0)".
void add_lanes(const std::string& list, std::map<std::string, std::uint64_t>& paths) {
  std::string spaced = list;
  for (char& letter : spaced)
    if (letter == '(' || letter == ')') letter = ' ';
  std::istringstream words(spaced);
  std::map<std::string, std::uint64_t> seen;
  for (std::string word; words >> word;)
    if (word.find('/') != std::string::npos && !word.starts_with("self/")) seen["UCX/" + word] = 1;
  for (const auto& [path, count] : seen) paths[path] += count;
}

}  // namespace

UcxLanes parse_ucx_log(const std::string& text) {
  UcxLanes found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find("UCX  INFO");
    if (mark == std::string::npos) continue;
    if (const std::size_t at = line.find(kVersion, mark); at != std::string::npos) {
      const std::size_t begin = at + kVersion.size();
      found.version = line.substr(begin, line.find(' ', begin) - begin);
    }
    // "ep_cfg[1]: tag(tcp/lo)", from UCX 1.14 "inter-node cfg#1 tag(tcp/lo)".
    for (const char* name : {"ep_cfg[", " cfg#"})
      if (const std::size_t at = line.find(name, mark); at != std::string::npos)
        if (const std::size_t list = line.find(' ', at + 1); list != std::string::npos)
          add_lanes(line.substr(list), found.paths);
  }
  return found;
}

UcxReport::UcxReport(int log_fd) : log_fd_(log_fd) {
  if (log_fd_ < 0) {
    memory_ = FileDescriptor(memfd_create("collbench-ucx", MFD_CLOEXEC));
    log_fd_ = memory_.get();
  }
  struct stat about{};
  if (fstat(log_fd_, &about) == 0) begin_ = about.st_size;
  std::fflush(stdout);
  if (dup2(log_fd_, STDOUT_FILENO) < 0)
    throw system_error(ErrorCode::kInternal, "redirecting the output of UCX", errno);
  // Whole lines: what a rank that is killed has reported is then in its log.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

UcxLanes UcxReport::lanes() const {
  std::fflush(stdout);
  struct stat about{};
  if (fstat(log_fd_, &about) != 0 || about.st_size <= begin_) return {};
  std::string text(static_cast<std::size_t>(about.st_size - begin_), '\0');
  const ssize_t n = pread(log_fd_, text.data(), text.size(), begin_);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return parse_ucx_log(text);
}

}  // namespace collbench::mpi
