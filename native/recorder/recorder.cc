#include "recorder/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/environment.h"

namespace collbench::recorder {

namespace {

using std::chrono::milliseconds;

/// Interval at which queued entries are written to the record files. If the job is killed, at most the
/// entries of one interval are lost.
constexpr milliseconds kPause{20};
constexpr int kPausesPerSweep = 25;
/// A line with both clocks is written at every 250th write (5 s), because the clocks drift apart by up to 10
/// us per second.
constexpr int kPausesPerClock = 250;
/// Maximum number of entries taken from the queue at a time, so that the hash and the other files make
/// progress too.
constexpr std::size_t kMaxAtOnce = 1 << 16;
constexpr int kNiceness = 10;

/// Returns the size of the queue: the number in `text`, rounded up to a power of two, at most 2^24.
/// `otherwise` if the text is no number of at least 2.
std::size_t ring_size_of(const std::string& text, std::size_t otherwise) {
  const long asked = std::strtol(text.c_str(), nullptr, 10);
  if (asked < 2) return otherwise;
  std::size_t size = 2;
  while (size < static_cast<std::size_t>(asked) && size < (std::size_t{1} << 24)) size *= 2;
  return size;
}

std::string file_name(const Header& header, int number) {
  char host[65] = {};
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "host");
  std::string name = std::string(host) + "-" + std::to_string(getpid()) + "-" + header.source + "-" +
                     std::to_string(number) + "-" + header.communicator + ".ndjson";
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '-';
  return name;
}

}  // namespace

struct Recorder::Log {
  int file = -1;
  std::int64_t base_ns = 0;
  std::string text;
  std::string library;
  bool has_library_line = false;
  std::uint64_t calls = 0;
  std::uint64_t device_times = 0;
  bool is_ended = false;
  std::atomic<std::uint64_t> lost_calls{0};
  std::atomic<std::uint64_t> lost_device_times{0};
  Losses written;

  Losses losses() const {
    return {lost_calls.load(std::memory_order_relaxed), lost_device_times.load(std::memory_order_relaxed)};
  }
};

Settings Settings::of_environment() {
  Settings settings;
  settings.directory = environment_value("COLLBENCH_RECORD_DIR");
  settings.token = environment_value("COLLBENCH_RECORD_TOKEN");
  settings.ring_size = ring_size_of(environment_value("COLLBENCH_RECORD_RING"), settings.ring_size);
  return settings;
}

Recorder::Recorder(Settings settings) : settings_(std::move(settings)), ring_(settings_.ring_size) {}

Recorder::~Recorder() {
  finish();
  for (auto& log : logs_) delete log.load();
}

int Recorder::open(const Header& header, std::string& why) {
  if (settings_.directory.empty() || forgotten_.load()) return -1;
  std::unique_lock lock(mutex_);
  const int number = log_count_.load();
  if (number == kMaxLogs) {
    why = "more than " + std::to_string(kMaxLogs) + " communicators in one process";
    return -1;
  }
  const std::string path = settings_.directory + "/" + file_name(header, number);
  auto log = std::make_unique<Log>();
  log->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (log->file < 0) {
    why = path + ": " + std::strerror(errno);
    return -1;
  }
  const ClockReadings clocks = ClockReadings::now();
  log->base_ns = clocks.monotonic_ns;
  log->library = header.library_path;
  log->text = header_line(header, settings_.token, clocks);
  hash_.begin(header.library_path);
  write_out(*log);
  logs_[static_cast<std::size_t>(number)].store(log.release(), std::memory_order_release);
  log_count_.store(number + 1);
  if (open_count_++ == 0) start_thread();
  return number;
}

void Recorder::put(const RecordEntry& entry) noexcept {
  if (entry.log < 0 || forgotten_.load(std::memory_order_relaxed) || ring_.push(entry)) return;
  lose(entry.log, entry.what);
}

void Recorder::lose(int number, EntryKind what) noexcept {
  if (number < 0) return;
  Log* log = logs_[static_cast<std::size_t>(number)].load(std::memory_order_acquire);
  (what == EntryKind::kCall ? log->lost_calls : log->lost_device_times)
      .fetch_add(1, std::memory_order_relaxed);
}

void Recorder::set_sweep(std::function<void(int, bool)> sweep) {
  const std::lock_guard lock(mutex_);
  sweep_ = std::move(sweep);
}

void Recorder::close(int number) {
  if (number < 0 || forgotten_.load()) return;
  std::unique_lock lock(mutex_);
  if (sweep_) sweep_(number, true);
  drain_all();
  Log& log = *logs_[static_cast<std::size_t>(number)].load();
  if (log.file < 0) return;
  end(log);
  if (--open_count_ == 0) stop_thread(lock);
}

void Recorder::finish() {
  if (forgotten_.load()) {
    // The thread existed in the parent only, so there is nothing to join.
    if (thread_.joinable()) thread_.detach();
    return;
  }
  std::unique_lock lock(mutex_);
  const int count = log_count_.load();
  if (sweep_)
    for (int i = 0; i < count; ++i) sweep_(i, true);
  drain_all();
  for (int i = 0; i < count; ++i) {
    Log& log = *logs_[static_cast<std::size_t>(i)].load();
    if (log.file >= 0) end(log);
  }
  open_count_ = 0;
  stop_thread(lock);
}

void Recorder::start_thread() {
  stopping_ = false;
  // The thread blocks all signals: they are for the job.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { write_until_stopped(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Recorder::stop_thread(std::unique_lock<std::mutex>& lock) {
  if (!thread_.joinable()) return;
  stopping_ = true;
  std::thread ending = std::move(thread_);
  lock.unlock();
  wake_.notify_all();
  ending.join();
}

void Recorder::write_until_stopped() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
  std::unique_lock lock(mutex_);
  for (int round = 1; !stopping_; ++round) {
    const int count = log_count_.load();
    if (sweep_ && round % kPausesPerSweep == 0)
      for (int i = 0; i < count; ++i) sweep_(i, false);
    drain();
    hash_.step();
    const ClockReadings clocks = ClockReadings::now();
    for (int i = 0; i < count; ++i) {
      Log& log = *logs_[static_cast<std::size_t>(i)].load();
      if (log.file < 0) continue;
      if (round % kPausesPerClock == 0) log.text += clock_line(clocks, log.base_ns);
      write_out(log);
    }
    wake_.wait_for(lock, kPause);
  }
}

std::size_t Recorder::drain() {
  RecordEntry entry;
  std::size_t taken = 0;
  for (; taken < kMaxAtOnce && ring_.pop(entry); ++taken) {
    Log& log = *logs_[static_cast<std::size_t>(entry.log)].load();
    if (log.file < 0) continue;
    ++(entry.what == EntryKind::kCall ? log.calls : log.device_times);
    append_entry(log.text, entry, log.base_ns);
  }
  return taken;
}

void Recorder::drain_all() {
  // Other threads may add entries all the time, so this stops after as many as fit into the queue.
  for (std::size_t left = settings_.ring_size; left > 0;) {
    const std::size_t taken = drain();
    if (taken < kMaxAtOnce) return;
    left -= std::min(left, taken);
    for (int i = 0; i < log_count_.load(); ++i)
      if (Log& log = *logs_[static_cast<std::size_t>(i)].load(); log.file >= 0) write_out(log);
  }
}

void Recorder::write_out(Log& log) {
  if (!log.has_library_line && hash_.path() == log.library && !hash_.hex().empty()) {
    log.text += library_line(hash_.path(), hash_.bytes(), hash_.hex());
    log.has_library_line = true;
  }
  if (const Losses losses = log.losses(); !log.is_ended && losses != log.written) {
    log.text += losses_line(losses);
    log.written = losses;
  }
  const char* at = log.text.data();
  std::size_t left = log.text.size();
  while (left > 0) {
    const ssize_t done = ::write(log.file, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      // If the disk is full the job continues; its record ends here, without a last line.
      ::close(log.file);
      log.file = -1;
      break;
    }
    at += done;
    left -= static_cast<std::size_t>(done);
  }
  log.text.clear();
}

void Recorder::end(Log& log) {
  const ClockReadings clocks = ClockReadings::now();
  log.text += clock_line(clocks, log.base_ns);
  log.text += end_line(log.calls, log.device_times, log.losses());
  log.is_ended = true;
  write_out(log);
  if (log.file >= 0) ::close(log.file);
  log.file = -1;
}

Recorder& process_recorder() {
  static Recorder* const recorder = [] {
    auto* made = new Recorder(Settings::of_environment());
    std::atexit([] { process_recorder().finish(); });
    pthread_atfork(nullptr, nullptr, [] { process_recorder().forget(); });
    return made;
  }();
  return *recorder;
}

}  // namespace collbench::recorder
