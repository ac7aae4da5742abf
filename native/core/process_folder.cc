#include "core/process_folder.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/cached_build.h"
#include "core/error.h"

namespace collbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "process-";

/// Returns a text that identifies a process among all that ran since the machine was started, such as
/// "4711-83920" (process id and start time); "" if there is no such process.
std::string name_of_process(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t at = text.rfind(')');  // The process name may contain any character.
  constexpr int kFieldsBefore = 20;  // Fields between the state and the start time.
  for (int field = 0; field < kFieldsBefore && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return "";
  return pid + "-" + text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

/// Returns the beginning of folder names for this machine, boot and container. Reason: the cache folder may
/// also contain folders of other machines, whose processes cannot be seen from here.
std::string prefix_of_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::error_code failed;
  // Text like "pid:[4026531836]".
  std::string space = fs::read_symlink("/proc/self/ns/pid", failed).string();
  std::erase_if(space, [](char c) { return c < '0' || c > '9'; });
  return kPrefix + boot.substr(0, boot.find('-')) + "-" + space + "-";
}

void sweep(const fs::path& cache, const std::string& prefix) {
  std::error_code failed;
  for (fs::directory_iterator one(cache, failed), end; !failed && one != end; one.increment(failed)) {
    const std::string file = one->path().filename().string();
    if (!file.starts_with(prefix)) continue;
    const std::string name = file.substr(prefix.size());
    std::error_code ignored;
    if (name_of_process(name.substr(0, name.find('-'))) != name) fs::remove_all(one->path(), ignored);
  }
}

}  // namespace

ProcessFolder::ProcessFolder() {
  const std::string cache = private_cache_folder(), prefix = prefix_of_machine();
  sweep(cache, prefix);
  path_ = cache + "/" + prefix + name_of_process(std::to_string(getpid()));
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw system_error(ErrorCode::kUnavailable, "making " + path_, errno);
}

ProcessFolder::~ProcessFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_folders_of_ended_processes() noexcept {
  try {
    std::error_code ignored;
    if (fs::exists(cache_folder_path(), ignored)) sweep(private_cache_folder(), prefix_of_machine());
  } catch (const std::exception&) {
    return;  // A folder that cannot be used holds none of ours.
  }
}

}  // namespace collbench
