#include "cuda/nvcc/build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/error.h"
#include "cuda/nvcc/compiler.h"

namespace collbench::cuda {
namespace {

namespace fs = std::filesystem;

constexpr long kLookEveryNs = 20'000'000;

/// FNV-1a, 64 bits: names a file, guards nothing.
std::string name_for(const NvccBuild& build) {
  std::vector<std::string> parts = {build.source, std::to_string(build.capability), build.nvcc};
  parts.insert(parts.end(), build.key.begin(), build.key.end());
  parts.insert(parts.end(), build.options.begin(), build.options.end());
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325ULL;
  for (const std::string& part : parts)
    for (std::size_t i = 0; i <= part.size(); ++i)  // with its final zero: parts do not run into each other
      hash = (hash ^ static_cast<unsigned char>(part.c_str()[i])) * 0x100'0000'01B3ULL;
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return build.name + "-" + digits.data();
}

/// Held by the one that compiles. Where the file system has no locks, several compile and the last one's file
/// stays.
class Lock {
 public:
  Lock(const std::string& path, const NvccBuild& build)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
      if (build.cancelled && build.cancelled()) {
        close(file_);
        throw Error(ErrorCode::kCancelled, "stopped while another rank compiles " + build.what);
      }
      const timespec pause{0, kLookEveryNs};
      nanosleep(&pause, nullptr);
    }
  }
  ~Lock() {
    if (file_ >= 0) close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Files of one compile, gone afterwards.
class Scratch {
 public:
  explicit Scratch(const std::string& stem) {
    static std::atomic<unsigned> next{0};
    base_ = stem + "." + std::to_string(getpid()) + "." + std::to_string(next++);
  }
  ~Scratch() {
    std::error_code ignored;
    for (const char* end : {".cu", ".so", ".log"}) fs::remove(base_ + end, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string at(const char* end) const { return base_ + end; }

 private:
  std::string base_;
};

std::vector<std::string> command_for(const NvccBuild& build, const Scratch& scratch) {
  const std::string gpu = std::to_string(build.capability);
  std::vector<std::string> command = {build.nvcc,   "-std=c++17",
                                      "-O3",        "-shared",
                                      "-Xcompiler", "-fPIC,-fvisibility=hidden",
                                      "-gencode",   "arch=compute_" + gpu + ",code=sm_" + gpu};
  // Python packages keep the static runtime in lib, where their nvcc does not look.
  std::error_code failed;
  const fs::path lib = fs::canonical(build.nvcc, failed).parent_path().parent_path() / "lib";
  if (!failed && fs::exists(lib / "libcudart_static.a", failed)) command.push_back("-L" + lib.string());
  command.insert(command.end(), {"-o", scratch.at(".so"), scratch.at(".cu")});
  command.insert(command.end() - 3, build.options.begin(), build.options.end());
  return command;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (text.ends_with('\n')) text.pop_back();
  constexpr std::size_t kMostShown = 1500;
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + " ...";
  return text.empty() ? "no word" : text;
}

}  // namespace

std::string private_cache_folder() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  const bool named = base != nullptr && *base == '/';
  const std::string folder =
      named ? std::string(base) + "/collbench" : "/tmp/collbench-" + std::to_string(geteuid());
  std::error_code failed;
  if (named) fs::create_directories(base, failed);
  const std::string way_out = "; name another place with XDG_CACHE_HOME";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    const int error = errno;
    throw Error(
        ErrorCode::kUnavailable,
        system_error(ErrorCode::kUnavailable, "making the cache folder " + folder, error).what() + way_out);
  }
  struct stat seen{};
  if (lstat(folder.c_str(), &seen) != 0 || !S_ISDIR(seen.st_mode))
    throw Error(ErrorCode::kUnavailable, folder + ", for compiled kernels, is no folder" + way_out);
  if (seen.st_uid != geteuid() || (seen.st_mode & 0022) != 0)
    throw Error(
        ErrorCode::kUnavailable,
        folder + ", for compiled kernels, belongs to another user or can be written by others" + way_out);
  return folder;
}

std::string build_with_nvcc(const NvccBuild& build) {
  const std::string stem = private_cache_folder() + "/" + name_for(build);
  const std::string result = stem + ".so";
  std::error_code failed;
  if (fs::exists(result, failed)) return result;
  const Lock lock(stem + ".lock", build);
  if (fs::exists(result, failed)) return result;
  const Scratch scratch(stem);
  std::ofstream(scratch.at(".cu")) << build.source;
  const CompilerEnd end = run_compiler(command_for(build, scratch), scratch.at(".log"), build.cancelled);
  if (end.cancelled) throw Error(ErrorCode::kCancelled, "stopped while compiling " + build.what);
  if (!end.success || !fs::exists(scratch.at(".so"), failed))
    throw Error(ErrorCode::kUnavailable, "nvcc cannot compile " + build.what + " (" + build.nvcc + ", " +
                                             end.how + "): " + text_of(scratch.at(".log")));
  fs::rename(scratch.at(".so"), result, failed);
  if (failed)
    throw Error(ErrorCode::kUnavailable, "cannot put " + result + " in its place: " + failed.message());
  return result;
}

}  // namespace collbench::cuda
