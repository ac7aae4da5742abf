#pragma once
// The hash of a large library, a piece at a time: the thread that computes it has entries to write.
#include <cstdint>
#include <string>

#include "core/sha256.h"

namespace collbench::recorder {

class LibraryHash {
 public:
  ~LibraryHash();
  /// Does nothing for the file that it has or is at.
  void begin(const std::string& path);
  /// One piece. True once, when the hash is there.
  bool step();
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  /// "" = not there yet, or the file cannot be read.
  const std::string& hex() const { return hex_; }

 private:
  void close_file();
  std::string path_;
  std::string hex_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
  int file_ = -1;
};

}  // namespace collbench::recorder
