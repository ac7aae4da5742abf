#include "engines/nccl/fake/log.h"

#include <strings.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

namespace collbench::nccl_fake {
namespace {

enum Level : int { kNone, kVersion, kWarn, kInfo, kAbort, kTrace };

const std::map<std::string, unsigned> kSubsystems = {
    {"INIT", 1},         {"COLL", 2},        {"P2P", 4},
    {"SHM", 8},          {"NET", 16},        {"GRAPH", 32},
    {"TUNING", 64},      {"ENV", 128},       {"ALLOC", 256},
    {"CALL", 512},       {"PROXY", 1024},    {"NVLS", 2048},
    {"BOOTSTRAP", 4096}, {"REG", 8192},      {"PROFILE", 16384},
    {"RAS", 32768},      {"DESTROY", 65536}, {"ALLOC_HOST", 131072},
    {"ALL", ~0U}};

class Log {
 public:
  Log() {
    const std::string level = environment("NCCL_DEBUG");
    const char* const names[] = {"", "VERSION", "WARN", "INFO", "ABORT", "TRACE"};
    for (int i = kVersion; i <= kTrace; ++i)
      if (strcasecmp(level.c_str(), names[i]) == 0) level_ = i;
    subsystems_ = parse_subsystems(environment("NCCL_DEBUG_SUBSYS"));
    if (const std::string path = environment("NCCL_DEBUG_FILE"); level_ != kNone && !path.empty())
      if (FILE* opened = std::fopen(expand(path).c_str(), "w"); opened != nullptr) file_ = opened;
    if (level_ >= kVersion)
      write("NCCL version " + version_text() + "+cuda13.0 (fake, host memory)\n", level_ >= kInfo);
  }

  [[nodiscard]] bool shows(int level, unsigned subsystems) const {
    return level_ >= level && (level == kWarn || (subsystems_ & subsystems) != 0);
  }
  void line(int device, const char* kind, const std::string& text, bool blank_before) {
    std::ostringstream out;
    if (blank_before) out << '\n';
    out << host_name() << ':' << getpid() << ':' << gettid() << " [" << device << "] " << kind << text
        << '\n';
    write(out.str(), false);
  }

 private:
  void write(const std::string& text, bool with_prefix) {
    if (with_prefix) return line(0, "NCCL INFO ", text.substr(0, text.size() - 1), false);
    const std::lock_guard lock(mutex_);
    std::fputs(text.c_str(), file_);
    std::fflush(file_);
  }

  static unsigned parse_subsystems(std::string list) {
    if (list.empty()) return kSubsystems.at("INIT") | kSubsystems.at("BOOTSTRAP") | kSubsystems.at("ENV");
    const bool excluded = list[0] == '^';
    if (excluded) list.erase(0, 1);
    unsigned named = 0;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');)
      for (const auto& [name, bit] : kSubsystems)
        if (strcasecmp(name.c_str(), word.c_str()) == 0) named |= bit;
    return excluded ? ~named : named;
  }

  static std::string expand(const std::string& path) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
      if (next == 'h')
        out += host_name(), ++i;
      else if (next == 'p')
        out += std::to_string(getpid()), ++i;
      else
        out += path[i];
    }
    return out;
  }

  std::mutex mutex_;
  int level_ = kNone;
  unsigned subsystems_ = 0;
  FILE* file_ = stdout;
};

Log& log() {
  static auto* the_log = new Log;
  return *the_log;
}

std::string formatted(const char* format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

std::mutex last_mutex;
char last_text[1024];

}  // namespace

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  const std::string whole = name;
  return whole.substr(0, whole.find('.'));
}

int version() {
  const std::string text = environment("NCCL_FAKE_VERSION");
  return text.empty() ? 22809 : std::atoi(text.c_str());
}

std::string version_text() {
  const int code = version();
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
         std::to_string(code % 100);
}

void info(unsigned subsystems, int device, const char* format, ...) {
  if (!log().shows(kInfo, subsystems)) return;
  va_list arguments;
  va_start(arguments, format);
  log().line(device, "NCCL INFO ", formatted(format, arguments), false);
  va_end(arguments);
}

void warn(int device, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  {
    const std::lock_guard lock(last_mutex);
    std::snprintf(last_text, sizeof last_text, "%s", text.c_str());
  }
  if (log().shows(kWarn, 0)) log().line(device, "fake.cc:1 NCCL WARN ", text, true);
}

const char* last_error() {
  static thread_local char copy[sizeof last_text];
  const std::lock_guard lock(last_mutex);
  std::snprintf(copy, sizeof copy, "%s", last_text);
  return copy;
}

}  // namespace collbench::nccl_fake
