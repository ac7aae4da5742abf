#include "core/cached_build.h"

#include <fcntl.h>
#include <features.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/error.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

constexpr long kLookEveryNs = 20'000'000;

/// Returns the file name of a compiled object, without extension: the build's name and 16 hex digits. The
/// digits are a hash (FNV-1a, 64 bits) of source, compiler path, command and key. The hash gives no security.
std::string name_for(const CachedBuild& build) {
  std::vector<std::string> parts = {build.source, build.compiler};
  parts.insert(parts.end(), build.key.begin(), build.key.end());
  const std::vector<std::string> command = build.command("source", "object");
  parts.insert(parts.end(), command.begin(), command.end());
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325ULL;
  for (const std::string& part : parts)
    // The final zero is hashed too, so that the parts "ab","c" differ from "a","bc".
    for (std::size_t i = 0; i <= part.size(); ++i)
      hash = (hash ^ static_cast<unsigned char>(part.c_str()[i])) * 0x100'0000'01B3ULL;
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return build.name + "-" + digits.data();
}

/// Lock on one object of the cache, held by the process that compiles it. The constructor waits for the lock
/// and throws Error(kCancelled) if the build is cancelled meanwhile. Without a usable lock file, several
/// processes compile, and the file of the last one remains.
class Lock {
 public:
  Lock(const std::string& path, const CachedBuild& build)
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

/// Names of the temporary files of one compilation (source, object, compiler output), unique per Scratch.
/// at() only returns a path. The destructor deletes the files.
class Scratch {
 public:
  Scratch(const std::string& stem, const std::string& ending) : ending_(ending) {
    static std::atomic<unsigned> next{0};
    base_ = stem + "." + std::to_string(getpid()) + "." + std::to_string(next++);
  }
  ~Scratch() {
    std::error_code ignored;
    for (const std::string& end : {ending_, std::string(".out"), std::string(".log")})
      fs::remove(base_ + end, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string at(const std::string& end) const { return base_ + end; }

 private:
  std::string base_, ending_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (text.ends_with('\n')) text.pop_back();
  constexpr std::size_t kMaxShown = 1500;
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + " ...";
  return text.empty() ? "no word" : text;
}

constexpr long kPollIntervalNs = 20'000'000;

int start(const std::vector<std::string>& command, const std::string& log, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)
  // A compiler that outlives its rank must not hold the rank's socket to the agent open.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // The compiler gets its own process group, so that one kill() ends it and its children.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawn(pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

struct CompilerResult {
  bool success = false;
  bool cancelled = false;
  std::string
      how;  // End of the process in words: "exit status 1", "killed by signal 9", "cannot be started: ...".
};

/// Runs a program (its path, then its arguments) without a shell in a process group of its own, and waits
/// until it ends. Its input is empty; stdout and stderr go to the file `log`. `success` means exit status 0.
/// @param cancelled polled every 20 ms; true kills the program and its children; may be empty
CompilerResult run_compiler(const std::vector<std::string>& command, const std::string& log,
                            const std::function<bool()>& cancelled) {
  CompilerResult end;
  pid_t pid = 0;
  if (const int error = start(command, log, &pid); error != 0) {
    end.how = std::string("cannot be started: ") + std::strerror(error);
    return end;
  }
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR) {
      end.how = std::string("its end is not known: ") + std::strerror(errno);
      return end;
    }
    if (!end.cancelled && cancelled && cancelled()) {
      end.cancelled = true;
      kill(-pid, SIGKILL);
    }
    const timespec pause{0, kPollIntervalNs};
    nanosleep(&pause, nullptr);
  }
  if (WIFEXITED(status)) {
    end.success = WEXITSTATUS(status) == 0;
    end.how = "exit status " + std::to_string(WEXITSTATUS(status));
  } else {
    end.how = "killed by signal " + std::to_string(WTERMSIG(status));
  }
  return end;
}

}  // namespace

std::string cache_folder_path() {
  const char* base = std::getenv("XDG_CACHE_HOME");
  const bool named = base != nullptr && *base == '/';
  return named ? std::string(base) + "/collbench" : "/tmp/collbench-" + std::to_string(geteuid());
}

std::string private_cache_folder() {
  const std::string folder = cache_folder_path();
  std::error_code failed;
  if (const fs::path base = fs::path(folder).parent_path(); base != "/tmp")
    fs::create_directories(base, failed);
  const std::string way_out = "; name another place with XDG_CACHE_HOME";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    const int error = errno;
    throw Error(
        ErrorCode::kUnavailable,
        system_error(ErrorCode::kUnavailable, "making the cache folder " + folder, error).what() + way_out);
  }
  struct stat seen{};
  if (lstat(folder.c_str(), &seen) != 0 || !S_ISDIR(seen.st_mode))
    throw Error(ErrorCode::kUnavailable, folder + ", for compiled code, is no folder" + way_out);
  if (seen.st_uid != geteuid() || (seen.st_mode & 0022) != 0)
    throw Error(
        ErrorCode::kUnavailable,
        folder + ", for compiled code, belongs to another user or can be written by others" + way_out);
  return folder;
}

std::string build_cached(const CachedBuild& build) {
  const std::string result = private_cache_folder() + "/" + name_for(build) + build.object_ending;
  std::error_code failed;
  if (fs::exists(result, failed)) return result;
  const Lock lock(result + ".lock", build);
  if (fs::exists(result, failed)) return result;
  const Scratch scratch(result, build.ending);
  const std::string source = scratch.at(build.ending), object = scratch.at(".out");
  std::ofstream(source) << build.source;
  const CompilerResult end = run_compiler(build.command(source, object), scratch.at(".log"), build.cancelled);
  if (end.cancelled) throw Error(ErrorCode::kCancelled, "stopped while compiling " + build.what);
  if (!end.success || !fs::exists(object, failed))
    throw Error(ErrorCode::kUnavailable, build.title + " cannot compile " + build.what + " (" +
                                             build.compiler + ", " + end.how +
                                             "): " + text_of(scratch.at(".log")));
  fs::rename(object, result, failed);
  if (failed)
    throw Error(ErrorCode::kUnavailable, "cannot put " + result + " in its place: " + failed.message());
  return result;
}

}  // namespace collbench
