#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "agent/forensics/forensics.h"
#include "agent/line_channel.h"
#include "core/clock.h"

namespace collbench::agent {
namespace {

constexpr std::size_t kMaxLines = 60, kLongestLine = 300, kMaxBytes = std::size_t{64} << 10;

/// Connection to NCCL's RAS service, which reports the state of a job. One deadline limits all its waits.
class RasClient {
 public:
  RasClient(const std::string& address, std::int64_t limit_ns) : end_ns_(now_ns() + limit_ns) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) return;
    std::string host = address.substr(0, colon);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    connect_to(host, address.substr(colon + 1));
  }

  [[nodiscard]] bool connected() const { return fd_.get() >= 0; }

  bool say(const std::string& line) {
    return send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  }

  /// Returns the next line without its newline; "" at the end of the stream or after the deadline.
  std::string line() {
    std::size_t end = 0;
    while ((end = text_.find('\n')) == std::string::npos)
      if (!read_more()) return "";
    std::string first = text_.substr(0, end);
    text_.erase(0, end + 1);
    return first;
  }

  /// Returns all further text of the service until it closes the connection, until the deadline, or until
  /// kMaxBytes are received.
  std::string rest() {
    while (text_.size() < kMaxBytes && read_more()) {
    }
    return std::move(text_);
  }

 private:
  void connect_to(const std::string& host, const std::string& port) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return;
    for (const addrinfo* one = found; one != nullptr && !connected(); one = one->ai_next) {
      fd_.reset(socket(one->ai_family, one->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, one->ai_protocol));
      if (!connected()) continue;
      int error = connect(fd_.get(), one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
      socklen_t size = sizeof error;
      if (error == EINPROGRESS &&
          (!wait(POLLOUT) || getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0))
        error = ETIMEDOUT;
      if (error != 0) fd_.reset();
    }
    freeaddrinfo(found);
  }

  bool wait(short events) {
    pollfd one{fd_.get(), events, 0};
    for (;;) {
      const std::int64_t left_ms = (end_ns_ - now_ns()) / 1'000'000;
      if (left_ms <= 0) return false;
      const int n = poll(&one, 1, static_cast<int>(left_ms));
      if (n > 0) return true;
      if (n == 0 || errno != EINTR) return false;
    }
  }

  bool read_more() {
    char buffer[4096];
    if (!wait(POLLIN)) return false;
    const ssize_t n = read(fd_.get(), buffer, sizeof buffer);
    if (n > 0) text_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

  std::int64_t end_ns_;
  FileDescriptor fd_;
  std::string text_;
};

}  // namespace

std::vector<std::string> ask_ras(const std::string& address, std::int64_t limit_ns) {
  RasClient client(address, limit_ns);
  if (!client.connected()) return {};
  constexpr std::string_view kGreeting = "SERVER PROTOCOL ";
  if (!client.say("CLIENT PROTOCOL 2\n") ||
      strncasecmp(client.line().c_str(), kGreeting.data(), kGreeting.size()) != 0)
    return {};
  // TIMEOUT sets how long NCCL itself waits for other processes, in whole seconds. A hung job has processes
  // that do not answer.
  if (!client.say("TIMEOUT 1\n") || strcasecmp(client.line().c_str(), "OK") != 0 || !client.say("STATUS\n"))
    return {};
  const std::string answer = client.rest();
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < answer.size() && lines.size() < kMaxLines;) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    std::string line = answer.substr(begin, std::min(end - begin, kLongestLine));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace collbench::agent
