#include <gnu/libc-version.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "metrics/facts/environment.h"
#include "metrics/facts/facts.h"
#include "metrics/facts/generated/recorded_environment.h"
#include "metrics/inventory.h"

namespace collbench::facts {
namespace {

std::map<std::string, std::string> recorded_environment() {
  constexpr std::size_t kMaxVariables = 256;
  std::map<std::string, std::string> kept;
  for (char** entry = environ; *entry != nullptr && kept.size() < kMaxVariables; ++entry) {
    const std::string word = *entry;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(std::min(equals + 1, word.size()), kMaxValueBytes);
    if (is_recorded(name, value)) kept[name] = value;
  }
  return kept;
}

}  // namespace

Live read_live(bool brief) {
  Live live;
  live.glibc = gnu_get_libc_version();
  live.root = geteuid() == 0;
  struct statvfs shm{};
  if (statvfs("/dev/shm", &shm) == 0) {
    live.shm_bytes = static_cast<std::int64_t>(shm.f_blocks * shm.f_frsize);
    live.shm_free_bytes = static_cast<std::int64_t>(shm.f_bavail * shm.f_frsize);
  }
  timex clock{};  // modes 0: only reads the clock
  const int state = adjtimex(&clock);
  if (state >= 0) {
    live.clock_synchronised = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
    live.clock_max_error_us = clock.maxerror;
  }
  live.environment = recorded_environment();
  if (!brief) {
    const timespec gap = {0, kStatGapMs * 1'000'000};
    nanosleep(&gap, nullptr);
    live.stat_later = metrics::read_small_file("/proc/stat").substr(0, kMaxFileBytes);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  live.realtime_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return live;
}

}  // namespace collbench::facts
