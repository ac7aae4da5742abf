#include "engines/worker/program_error.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace collbench::worker {
namespace {

constexpr std::size_t kEnough = std::size_t{64} << 10;
constexpr std::size_t kLongest = 400;

bool has_one_of(const std::string& text, std::initializer_list<const char*> signs) {
  return std::any_of(signs.begin(), signs.end(),
                     [&](const char* sign) { return text.find(sign) != std::string::npos; });
}

/// Returns the error of a C++ program or library that ended by an exception: the first line, at most 400
/// characters, of the text "  what():  ..." after "terminate called"; "" if there is none.
std::string last_what(const std::string& output) {
  constexpr std::string_view kWhat = "\n  what():  ";
  const std::size_t begin = output.rfind("terminate called after throwing");
  const std::size_t what = begin == std::string::npos ? begin : output.find(kWhat, begin);
  if (what == std::string::npos) return "";
  const std::size_t at = what + kWhat.size();
  return output.substr(at, std::min(output.find('\n', at) - at, kLongest));
}

}  // namespace

std::string last_exception(const std::string& output) {
  if (const std::string what = last_what(output); !what.empty()) return what;
  const std::size_t begin = output.rfind("Traceback (most recent call last):");
  if (begin == std::string::npos) return "";
  // Stack frames and their lines are indented; launchers may put the rank in front of each line.
  const std::size_t line_start = output.rfind('\n', begin) + 1;  // If there is no newline, npos + 1 is 0.
  const std::string prefix = output.substr(line_start, begin - line_start);
  for (std::size_t at = output.find('\n', begin); at != std::string::npos; at = output.find('\n', at + 1)) {
    const std::size_t end = output.find('\n', at + 1);
    std::string line = output.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
    if (!line.empty() && line[0] != ' ' && line[0] != '\t') return line.substr(0, kLongest);
  }
  return "";
}

std::string last_exception_in(int log_fd) {
  struct stat about{};
  if (log_fd < 0 || fstat(log_fd, &about) != 0 || !S_ISREG(about.st_mode)) return "";
  const auto size = static_cast<std::size_t>(about.st_size);
  std::string text(std::min(size, kEnough), '\0');
  const ssize_t n = pread(log_fd, text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return last_exception(text);
}

bool is_peer_failure(const std::string& text) {
  return has_one_of(text, {"onnection closed by peer", "onnection reset by peer", "onnection refused",
                           "roken pipe", "UnavailableError", "Socket closed", "remote process exited",
                           "onnection was likely closed", "failed to recv, got 0 bytes"});
}

}  // namespace collbench::worker
