#pragma once
// Kernels compiled on the node, once per source, GPU kind and compiler; then stored in a cache.
#include <functional>
#include <string>
#include <vector>

namespace collbench::cuda {

struct NvccBuild {
  std::string what;  // description for errors: "the kernels on NCCL's device API"
  std::string name;  // start of the file name: "device-api"
  std::string nvcc;
  std::string source;
  int capability = 0;                // 90: code for sm_90 only
  std::vector<std::string> key;      // other inputs of the object, e.g. the version of a library
  std::vector<std::string> options;  // options for the compiler; part of the key
  std::function<bool()> cancelled;   // checked while compiling; true ends the compiler; may be empty
};

/// Compiles CUDA source to a shared object and returns its path, from the cache if possible. If several ranks
/// or runs need it at the same time, one compiles and the others wait for its lock. A failed compilation
/// leaves nothing in the cache.
/// @throws Error(kUnavailable) with the compiler's output, or with the reason why there is no private cache
/// folder; Error(kCancelled)
std::string build_with_nvcc(const NvccBuild& build);

}  // namespace collbench::cuda
