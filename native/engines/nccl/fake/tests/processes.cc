#include "engines/nccl/fake/tests/processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "engines/nccl/fake/tests/ranks.h"

namespace fake_test {
namespace {

struct Process {
  pid_t id = 0;
  int out = -1;
};

Process start(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables) {
  std::vector<std::string> settings;
  for (char** at = environ; *at != nullptr; ++at) settings.emplace_back(*at);
  for (const auto& [name, value] : variables) settings.push_back(name + "=" + value);
  std::vector<char*> arguments, environment;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& setting : settings) environment.push_back(const_cast<char*>(setting.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  int pipe_ends[2];
  must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  Process process;
  must(posix_spawn(&process.id, arguments[0], &actions, nullptr, arguments.data(), environment.data()),
       "spawn");
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  process.out = pipe_ends[0];
  return process;
}

ProcessExit finish(const Process& process) {
  ProcessExit ended;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(process.out, buffer, sizeof buffer)) > 0;)
    ended.out.append(buffer, static_cast<std::size_t>(got));
  close(process.out);
  int status = 0;
  waitpid(process.id, &status, 0);
  ended.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
}

}  // namespace

std::vector<ProcessExit> run_processes(const std::string& scenario, int ranks,
                                       const std::map<std::string, std::string>& variables,
                                       const std::vector<std::map<std::string, std::string>>& own) {
  const NcclUniqueId id = make_id();
  std::vector<Process> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    auto all = variables;
    if (!own.empty())
      for (const auto& entry : own[static_cast<std::size_t>(rank)]) all.insert(entry);
    processes.push_back(
        start({FAKE_RANK, scenario, std::to_string(rank), std::to_string(ranks), id.internal}, all));
  }
  std::vector<ProcessExit> ended;
  for (const Process& process : processes) ended.push_back(finish(process));
  return ended;
}

}  // namespace fake_test
