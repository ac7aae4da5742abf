#pragma once
// Objects that are compiled on the node, once per source, compiler and options; then they lie in a cache.
#include <functional>
#include <string>
#include <vector>

namespace collbench {

struct CachedBuild {
  std::string what;      // "the kernels on NCCL's device API": for errors
  std::string name;      // "device-api": begins the name of the file
  std::string compiler;  // its path
  std::string title;     // "nvcc": for errors
  std::string ending;    // of the source: ".cu"
  std::string object_ending = ".so";
  std::string source;
  std::vector<std::string> key;  // what the object depends on besides source, compiler and command
  /// The command that makes `object` of the file `source`.
  std::function<std::vector<std::string>(const std::string& source, const std::string& object)> command;
  std::function<bool()> cancelled;  // true ends the compiler; may be empty
};

/// Path of the object. Ranks and runs at once share the work of one: the others wait for its lock. A broken
/// compile leaves nothing in the cache.
/// @throws Error(kUnavailable) with the compiler's words, or why there is no private cache folder;
/// Error(kCancelled)
std::string build_cached(const CachedBuild& build);

/// $XDG_CACHE_HOME/collbench, else /tmp/collbench-<uid>; made with mode 0700. Code is loaded from there, so a
/// folder that somebody else owns or may write to is refused. @throws Error(kUnavailable)
std::string private_cache_folder();

}  // namespace collbench
