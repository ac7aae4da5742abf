#include "core/child_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"

namespace collbench {

FileDescriptor lift(int fd) {
  constexpr int kAboveTargets = 10;
  FileDescriptor copy(fcntl(fd, F_DUPFD_CLOEXEC, kAboveTargets));
  if (!copy)
    throw system_error(ErrorCode::kInternal, "duplicating a file descriptor for a child process", errno);
  return copy;
}

std::vector<std::string> merge_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!extra.contains(text.substr(0, text.find('=')))) merged.push_back(text);
  }
  for (const auto& [name, value] : extra) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace collbench
