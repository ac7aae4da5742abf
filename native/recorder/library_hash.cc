#include "recorder/library_hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

namespace collbench::recorder {

namespace {
constexpr std::size_t kPieceBytes = 2 << 20;
}  // namespace

LibraryHash::~LibraryHash() { close_file(); }

void LibraryHash::close_file() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void LibraryHash::begin(const std::string& path) {
  if (path.empty() || path == path_) return;
  close_file();
  path_ = path;
  hex_.clear();
  hash_ = Sha256();
  bytes_ = 0;
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

bool LibraryHash::step() {
  if (file_ < 0) return false;
  std::vector<std::uint8_t> piece(kPieceBytes);
  const ssize_t got = ::read(file_, piece.data(), piece.size());
  if (got > 0) {
    bytes_ += static_cast<std::uint64_t>(got);
    hash_.update({piece.data(), static_cast<std::size_t>(got)});
    return false;
  }
  close_file();
  if (got < 0) return false;
  constexpr char kDigits[] = "0123456789abcdef";
  for (const std::uint8_t byte : hash_.finish()) {
    hex_ += kDigits[byte >> 4];
    hex_ += kDigits[byte & 15];
  }
  return true;
}

}  // namespace collbench::recorder
