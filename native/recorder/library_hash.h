#pragma once
// SHA-256 of a large library, computed piece by piece, because the thread that computes it also writes
// entries.
#include <cstdint>
#include <string>

#include "core/sha256.h"

namespace collbench::recorder {

class LibraryHash {
 public:
  ~LibraryHash();
  /// Starts hashing a file; does nothing for the file that is hashed or in progress.
  void begin(const std::string& path);
  /// Hashes one piece. True once, when the hash is complete.
  bool step();
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Hash in hex; "" = not complete, or the file cannot be read.
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
