#pragma once
// Runs a recorded program and reads its record.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace collbench::recorder::test {

using Json = nlohmann::json;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "collbench-record-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

inline pid_t start(const Words& command, const Variables& variables) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

/// Waits for the process. @returns exit status, or minus the signal
inline int finish(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Lines of all record files, per file; torn lines are left out.
inline std::vector<std::vector<Json>> records(const std::string& folder) {
  std::vector<std::vector<Json>> all;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    std::vector<Json> lines;
    for (std::string line; std::getline(in, line);)
      if (Json one = Json::parse(line, nullptr, false); !one.is_discarded()) lines.push_back(std::move(one));
    all.push_back(std::move(lines));
  }
  return all;
}

inline std::vector<Json> of_kind(const std::vector<Json>& lines, const std::string& kind) {
  std::vector<Json> found;
  for (const Json& line : lines)
    if (line.value("t", "") == kind) found.push_back(line);
  return found;
}

}  // namespace collbench::recorder::test
