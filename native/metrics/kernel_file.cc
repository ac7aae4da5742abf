#include "metrics/kernel_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace collbench::metrics {
namespace {

constexpr std::size_t kInitialBytes = 64;
/// A read that returns fewer bytes than this has returned the complete text, so that no second read is
/// needed. Reason: unless it ends, a sequence file of the kernel returns at least a page minus one record
/// (fs/seq_file.c). No record read here is near half a page.
constexpr std::size_t kSurelyWholeBytes = 2048;

}  // namespace

KernelFile::KernelFile(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), error_(fd_ ? 0 : errno), buffer_(kInitialBytes, '\0') {}

std::optional<std::string_view> KernelFile::read() {
  if (!fd_) return std::nullopt;
  std::size_t used = 0;
  for (;;) {
    const std::size_t room = buffer_.size() - used;
    const ssize_t n = pread(fd_.get(), buffer_.data() + used, room, static_cast<off_t>(used));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error_ = errno;
      return std::nullopt;
    }
    used += static_cast<std::size_t>(n);
    if (n == 0 || (static_cast<std::size_t>(n) < room && used < kSurelyWholeBytes)) break;
    if (used == buffer_.size()) buffer_.resize(4 * used);
  }
  return std::string_view(buffer_).substr(0, used);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return names;
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

std::string first_line_of(const std::string& path) {
  KernelFile file(path);
  const auto text = file.read();
  return text ? std::string(text->substr(0, text->find('\n'))) : "";
}

}  // namespace collbench::metrics
