#include "cuda/nvcc/build.h"

#include <filesystem>

#include "core/cached_build.h"

namespace collbench::cuda {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_for(const NvccBuild& build, const std::string& source,
                                     const std::string& object) {
  const std::string gpu = std::to_string(build.capability);
  std::vector<std::string> command = {build.nvcc,   "-std=c++17",
                                      "-O3",        "-shared",
                                      "-Xcompiler", "-fPIC,-fvisibility=hidden",
                                      "-gencode",   "arch=compute_" + gpu + ",code=sm_" + gpu};
  // Python packages keep the static runtime in lib, where their nvcc does not search.
  std::error_code failed;
  const fs::path lib = fs::canonical(build.nvcc, failed).parent_path().parent_path() / "lib";
  if (!failed && fs::exists(lib / "libcudart_static.a", failed)) command.push_back("-L" + lib.string());
  command.insert(command.end(), build.options.begin(), build.options.end());
  command.insert(command.end(), {"-o", object, source});
  return command;
}

}  // namespace

std::string build_with_nvcc(const NvccBuild& build) {
  CachedBuild wanted;
  wanted.what = build.what;
  wanted.name = build.name;
  wanted.compiler = build.nvcc;
  wanted.title = "nvcc";
  wanted.ending = ".cu";
  wanted.source = build.source;
  wanted.key = build.key;
  wanted.command = [&](const std::string& source, const std::string& object) {
    return command_for(build, source, object);
  };
  wanted.cancelled = build.cancelled;
  return build_cached(wanted);
}

}  // namespace collbench::cuda
