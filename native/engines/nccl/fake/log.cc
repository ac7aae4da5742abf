#include "engines/nccl/fake/log.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>

namespace collbench::nccl_fake {
namespace {

/// Names of the log subsystems that the fake knows, as written in NCCL_DEBUG_SUBSYS. Name number i has bit i
/// in the fake's own masks (kInit, kColl, ... in log.h).
constexpr const char* kSubsystems[] = {"INIT", "COLL", "P2P", "SHM", "NET", "TUNING"};

class FakeLog {
 public:
  FakeLog() {
    const std::string level = environment("NCCL_DEBUG"), path = environment("NCCL_DEBUG_FILE");
    warns_ = level == "WARN" || level == "INFO";
    const std::string wanted = environment("NCCL_DEBUG_SUBSYS");
    if (level == "INFO")
      for (const std::string& word : split_words(wanted.empty() ? "INIT" : wanted, ','))
        for (unsigned i = 0; i < std::size(kSubsystems); ++i)
          if (word == kSubsystems[i]) subsystems_ |= 1U << i;
    if (warns_ && !path.empty()) file_ = std::fopen(path.c_str(), "w");
    const int code = version();
    char text[80];
    // Composed at run time: as one literal it would be found in this file by the probe for a library's CUDA
    // version.
    std::snprintf(text, sizeof text, "NCCL INFO NCCL version %d.%d.%d+cuda%s (fake, host memory)",
                  code / 10000, code / 100 % 100, code % 100, "13.0");
    if (level == "INFO") line(0, text);
  }
  [[nodiscard]] bool warns() const { return warns_; }
  [[nodiscard]] unsigned subsystems() const { return subsystems_; }
  void line(int device, const std::string& text) {
    const std::string start = host_name() + ":" + std::to_string(getpid()) + ":" + std::to_string(gettid());
    const std::lock_guard lock(mutex_);
    std::fprintf(file_, "%s [%d] %s\n", start.c_str(), device, text.c_str());
    std::fflush(file_);
  }

 private:
  std::mutex mutex_;
  bool warns_ = false;
  unsigned subsystems_ = 0;
  FILE* file_ = stdout;
};

FakeLog& log() {
  static auto* the_log = new FakeLog;
  return *the_log;
}

std::string formatted(const char* format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

std::mutex last_mutex;
std::string last_text;

}  // namespace

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

std::vector<std::string> split_words(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) words.push_back(word);
  return words;
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

void info(unsigned subsystems, int device, const char* format, ...) {
  if ((log().subsystems() & subsystems) == 0) return;
  va_list arguments;
  va_start(arguments, format);
  log().line(device, "NCCL INFO " + formatted(format, arguments));
  va_end(arguments);
}

void warn(int device, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = formatted(format, arguments);
  va_end(arguments);
  if (log().warns()) log().line(device, "fake.cc:1 NCCL WARN " + text);
  const std::lock_guard lock(last_mutex);
  last_text = text;
}

const char* last_error() {
  static thread_local std::string copy;
  const std::lock_guard lock(last_mutex);
  return (copy = last_text).c_str();
}

}  // namespace collbench::nccl_fake
