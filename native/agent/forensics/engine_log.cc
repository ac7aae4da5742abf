#include "agent/forensics/engine_log.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/error.h"

namespace collbench::agent {
namespace {

std::size_t size_of_file(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

std::string read_part(int fd, std::size_t begin, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t n = pread(fd, text.data() + got, bytes - got, static_cast<off_t>(begin + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

}  // namespace

FileDescriptor make_engine_log() {
  FileDescriptor fd(memfd_create("collbench-engine-log", MFD_CLOEXEC));
  if (fd.get() < 0) throw system_error(ErrorCode::kInternal, "making the file for an engine's log", errno);
  return fd;
}

std::string read_engine_log(int fd, std::size_t head, std::size_t tail) {
  const std::size_t size = size_of_file(fd);
  if (size <= head + tail) return read_part(fd, 0, size);
  std::string first = read_part(fd, 0, head), last = read_part(fd, size - tail, tail);
  first.resize(first.rfind('\n') + 1);  // Results in 0 if there is no whole line.
  last.erase(0, std::min(last.find('\n'), last.size() - 1) + 1);
  const std::size_t left_out = size - first.size() - last.size();
  return first + "[" + std::to_string(left_out) + " bytes left out]\n" + last;
}

std::vector<std::string> engine_log_tail(int fd, std::size_t lines) {
  constexpr std::size_t kEnough = 16384;
  const std::size_t size = size_of_file(fd), begin = size - std::min(size, kEnough);
  const std::string text = read_part(fd, begin, size - begin);
  std::vector<std::string> tail;
  for (std::size_t end = text.size(); end > 0 && tail.size() < lines;) {
    const std::size_t before = text.find_last_of('\n', end - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    if (end > start) tail.push_back(text.substr(start, end - start));
    end = start > 0 ? start - 1 : 0;
  }
  std::reverse(tail.begin(), tail.end());
  return tail;
}

}  // namespace collbench::agent
