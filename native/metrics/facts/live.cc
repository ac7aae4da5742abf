#include <gnu/libc-version.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "metrics/facts/facts.h"
#include "metrics/inventory.h"

namespace collbench::facts {
namespace {

/// Only variables that decide over transports: an environment holds secrets, too.
std::map<std::string, std::string> telling_environment() {
  std::map<std::string, std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string word = *entry;
    for (const std::string_view prefix : kRecordedPrefixes)
      if (word.starts_with(prefix) && word.find('=') != std::string::npos && kept.size() < 256)
        kept[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1).substr(0, 4096);
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
  timex clock{};  // modes 0: only asked
  const int state = adjtimex(&clock);
  if (state >= 0) {
    live.clock_synchronised = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0;
    live.clock_max_error_us = clock.maxerror;
  }
  live.environment = telling_environment();
  if (!brief) {
    const timespec gap = {0, kStatGapMs * 1'000'000};
    nanosleep(&gap, nullptr);
    live.stat_later = metrics::read_small_file("/proc/stat").substr(0, kMostFileBytes);
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  live.realtime_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return live;
}

}  // namespace collbench::facts
