#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "core/file_descriptor.h"

namespace collbench {

MappedFile::MappedFile(const std::string& path) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!fd) {
    problem_ = std::strerror(errno);
  } else if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0) {
    problem_ = "it is no file with content";
  } else {
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (memory == MAP_FAILED)
      problem_ = std::strerror(errno);
    else
      text_ = {static_cast<const char*>(memory), bytes};
  }
}

MappedFile::~MappedFile() {
  if (!text_.empty()) munmap(const_cast<char*>(text_.data()), text_.size());
}

std::string_view MappedFile::text_at(std::uint64_t offset) const noexcept {
  if (offset >= text_.size()) return {};
  const std::string_view rest = text_.substr(offset);
  return rest.substr(0, strnlen(rest.data(), rest.size()));
}

}  // namespace collbench
