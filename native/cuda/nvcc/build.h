#pragma once
// Kernels that are compiled on the node, once per source, GPU kind and compiler; then they lie in a cache.
#include <functional>
#include <string>
#include <vector>

namespace collbench::cuda {

struct NvccBuild {
  std::string what;  // "the kernels on NCCL's device API": for errors
  std::string name;  // "device-api": begins the name of the file
  std::string nvcc;
  std::string source;
  int capability = 0;                // 90: code for sm_90 and nothing else
  std::vector<std::string> key;      // what else the object depends on: the version of a library
  std::vector<std::string> options;  // for the compiler, part of the key
  std::function<bool()> cancelled;   // true ends the compiler; may be empty
};

/// Path of the shared object. Ranks and runs at once share the work of one: the others wait for its lock. A
/// broken compile leaves nothing in the cache.
/// @throws Error(kUnavailable) with the compiler's words, or why there is no private cache folder;
/// Error(kCancelled)
std::string build_with_nvcc(const NvccBuild& build);

}  // namespace collbench::cuda
