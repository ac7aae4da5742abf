#include "agent/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "agent/spawn.h"
#include "core/error.h"

namespace collbench::agent {

std::optional<ControllerMessage> ControlSocket::receive() {
  while (lines_.empty() && open_)
    open_ = reader_.read_some(kControlFd, [this](const std::string& line) { lines_.push_back(line); });
  if (lines_.empty()) return std::nullopt;
  const std::string line = lines_.front();
  lines_.pop_front();
  return parse_controller_message(line);
}

void ControlSocket::send(const std::string& line) {
  if (!writer_.write(kControlFd, line)) throw Error(ErrorCode::kCancelled, "the agent is gone");
}

void exit_with_agent() {
  sigset_t all, before;
  sigfillset(&all);
  // Signals must go to the main thread, whose stack the agent asks for.
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread([] {
    pollfd control{kControlFd, POLLRDHUP, 0};
    while (poll(&control, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace collbench::agent
