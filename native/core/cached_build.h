#pragma once
// Objects compiled on the node, once per source, compiler and options, and kept in a cache folder.
#include <functional>
#include <string>
#include <vector>

namespace collbench {

/// Request to compile one object: source text, compiler and command, and names for messages and files.
struct CachedBuild {
  std::string what;      // Description of the object in errors: "the kernels on NCCL's device API".
  std::string name;      // First part of the object's file name in the cache: "device-api".
  std::string compiler;  // Path of the compiler.
  std::string title;     // Name of the compiler in errors: "nvcc".
  std::string ending;    // File extension of the source: ".cu".
  std::string object_ending = ".so";  // File extension of the object.
  std::string source;                 // Text of the source, not its path.
  /// Other texts that the object depends on, such as the version of a library. Source, compiler path, command
  /// and these texts are hashed into the object's file name.
  std::vector<std::string> key;
  /// Returns the command line that compiles the file `source` into the file `object`.
  std::function<std::vector<std::string>(const std::string& source, const std::string& object)> command;
  std::function<bool()> cancelled;  // Polled during the build; true stops it. May be empty.
};

/// Returns the path of the compiled object, from the cache if possible. If several ranks or runs need it at
/// the same time, one compiles and the others wait for its lock. A failed compilation leaves no object in the
/// cache.
/// @throws Error(kUnavailable) with the compiler's output, or with the reason why the cache cannot be used;
/// Error(kCancelled) if `cancelled` returned true during the compilation or the wait
std::string build_cached(const CachedBuild& build);

/// Returns the same path as private_cache_folder(), but neither creates nor checks the folder.
std::string cache_folder_path();

/// Returns the folder $XDG_CACHE_HOME/collbench, or /tmp/collbench-<uid> if the variable is not set or no
/// absolute path. Creates missing folders, the last one with mode 0700. Programs load code from this folder.
/// The folder is therefore refused if it is a link, another user owns it, or others may write to it.
/// @throws Error(kUnavailable) with the reason
std::string private_cache_folder();

}  // namespace collbench
