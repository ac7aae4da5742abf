#include "recorder/library_hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "core/text.h"

namespace collbench::recorder {

namespace {
constexpr std::size_t kPieceBytes = 2 << 20;
}  // namespace

void LibraryHash::begin(const std::string& path) {
  if (path.empty() || path == path_) return;
  path_ = path;
  hex_.clear();
  hash_ = Sha256();
  bytes_ = 0;
  file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

bool LibraryHash::step() {
  if (!file_) return false;
  std::vector<std::uint8_t> piece(kPieceBytes);
  const ssize_t got = ::read(file_.get(), piece.data(), piece.size());
  if (got > 0) {
    bytes_ += static_cast<std::uint64_t>(got);
    hash_.update({piece.data(), static_cast<std::size_t>(got)});
    return false;
  }
  file_.reset();
  if (got < 0) return false;
  hex_ = hex_of(hash_.finish());
  return true;
}

}  // namespace collbench::recorder
