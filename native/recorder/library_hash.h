#pragma once
// SHA-256 of a large library, computed piece by piece, because the thread that computes it also writes
// entries.
#include <cstdint>
#include <string>

#include "core/file_descriptor.h"
#include "core/sha256.h"

namespace collbench::recorder {

/// Computes the SHA-256 of a library file (libnccl, for example) in small steps, one file at a time. The
/// thread that writes record files calls step() between two writes.
class LibraryHash {
 public:
  /// Starts to hash a file; a file that is being hashed is abandoned. Does nothing if the path is empty or
  /// this file is the one hashed last or being hashed.
  void begin(const std::string& path);
  /// Reads and hashes the next 2 MiB of the file. True once, when the hash is complete.
  bool step();
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Returns the SHA-256 in hexadecimal; "" = not complete, or the file cannot be read.
  const std::string& hex() const { return hex_; }

 private:
  std::string path_;
  std::string hex_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
  FileDescriptor file_;
};

}  // namespace collbench::recorder
