#include "agent/line_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace collbench::agent {

void set_non_blocking(int fd) noexcept { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

LineReader::ReadStatus LineReader::read_once(int fd, const std::function<void(const std::string&)>& use) {
  char buffer[65536];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return ReadStatus::kNothing;
  if (n <= 0) {
    if (!pending_.empty()) use(std::exchange(pending_, {}));
    return ReadStatus::kEnd;
  }
  const std::size_t searched = pending_.size();
  pending_.append(buffer, static_cast<std::size_t>(n));
  std::size_t begin = 0;
  for (std::size_t end; (end = pending_.find('\n', std::max(begin, searched))) != std::string::npos;
       begin = end + 1)
    use(pending_.substr(begin, end - begin));
  pending_.erase(0, begin);
  if (pending_.size() > kLongestLine)
    throw Error(ErrorCode::kProtocol, "a line is longer than " + std::to_string(kLongestLine) + " bytes");
  return ReadStatus::kData;
}

bool LineReader::read_some(int fd, const std::function<void(const std::string&)>& use) {
  return read_once(fd, use) != ReadStatus::kEnd;
}

bool LineReader::drain(int fd, const std::function<void(const std::string&)>& use) {
  for (;;) switch (read_once(fd, use)) {
      case ReadStatus::kData:
        break;
      case ReadStatus::kNothing:
        return true;
      case ReadStatus::kEnd:
        return false;
    }
}

bool LineWriter::write(int fd, const std::string& line) {
  queue_ += line;
  return flush(fd);
}

bool LineWriter::flush(int fd) {
  while (sent_ < queue_.size()) {
    const ssize_t n = ::write(fd, queue_.data() + sent_, queue_.size() - sent_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n < 0) return false;
    sent_ += static_cast<std::size_t>(n);
  }
  queue_.clear();
  sent_ = 0;
  return true;
}

}  // namespace collbench::agent
