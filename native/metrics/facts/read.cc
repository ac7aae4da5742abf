// Bounded reading of files by pattern, below a root folder.
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/text.h"
#include "metrics/facts/facts.h"

namespace collbench::facts {
namespace {

std::size_t held(const Files& files) { return files.text.size() + files.links.size(); }

/// Returns the paths below `root` that match a glob(3) pattern, each without `root`, as on the machine
/// itself.
std::vector<std::string> matches(const std::string& root, const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob((root + pattern).c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i] + root.size());
  globfree(&found);
  return paths;
}

/// Reads up to `most` bytes of a file into `text`, and records in `files` if it is denied or longer.
/// @returns false if the file cannot be opened, or if reading fails before the first byte
bool read_bounded(const std::string& root, const std::string& path, std::size_t most, Files& files,
                  std::string& text) {
  const int fd = open((root + path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    if (errno == EACCES || errno == EPERM) files.denied.push_back(path);
    return false;
  }
  text.resize(most + 1);
  std::size_t used = 0;
  ssize_t n = 0;
  while (used < text.size() && (n = read(fd, text.data() + used, text.size() - used)) > 0)
    used += static_cast<std::size_t>(n);
  const bool failed = n < 0;  // reading "speed" fails for an interface without one
  close(fd);
  text.resize(used);
  if (used > most) {
    text.resize(most);
    files.cut.push_back(path);
  }
  return !failed || used > 0;
}

bool has_room(Files& files) {
  if (held(files) < kMaxFiles && !files.full) return true;
  files.full = true;
  return false;
}

void keep(const std::string& path, std::string text, Files& files) {
  files.bytes += text.size();
  if (files.bytes > kMaxBytes) files.full = true;
  files.text[path] = std::move(text);
}

}  // namespace

void add_text(const std::string& root, const std::string& pattern, Files& files) {
  for (const std::string& path : matches(root, pattern)) {
    std::string text;
    if (!has_room(files)) return;
    if (!read_bounded(root, path, kMaxFileBytes, files, text)) continue;
    keep(path, std::move(text), files);
  }
}

void add_link(const std::string& root, const std::string& pattern, Files& files) {
  for (const std::string& path : matches(root, pattern)) {
    if (!has_room(files)) return;
    char target[PATH_MAX];
    const bool resolved = realpath((root + path).c_str(), target) != nullptr;
    const std::string text = resolved ? target : "";
    files.links[path] = text.starts_with(root) ? text.substr(root.size()) : text;
  }
}

void add_hex(const std::string& root, const std::string& path, std::size_t most, Files& files) {
  std::string bytes;
  if (!has_room(files) || !read_bounded(root, path, most, files, bytes)) return;
  keep(path, hex_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}), files);
}

}  // namespace collbench::facts
