#pragma once
// Keeps what threads of a job hand over: they put entries into a ring and go on; one thread of ours writes
// them, a file for each communicator, every few milliseconds, so that a killed job leaves all but the last of
// them.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "recorder/entry.h"
#include "recorder/library_hash.h"
#include "recorder/lines.h"
#include "recorder/ring.h"

namespace collbench::recorder {

struct Settings {
  /// "" = nothing is recorded.
  std::string directory;
  /// Of one `collbench record`: files of other jobs in the same folder are told apart by it.
  std::string token;
  std::size_t ring_size = 16384;
  /// COLLBENCH_RECORD_DIR, COLLBENCH_RECORD_TOKEN, COLLBENCH_RECORD_RING.
  static Settings of_environment();
};

class Recorder {
 public:
  static constexpr int kMostLogs = 4096;
  explicit Recorder(Settings settings);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins the record of one communicator. -1: not recorded, and `why` says why ("" = nobody asked).
  int open(const Header& header, std::string& why);
  /// Never waits, never throws. A full ring counts as a loss.
  void put(const Entry& entry) noexcept;
  void lose_device_time(int log) noexcept;
  /// Writes what is left, then its last line; the thread ends with the last communicator.
  void close(int log);
  /// What the writer does now and then, before it drains: hands over device times that stay unfinished. All
  /// of them
  /// (`everything`) before a communicator's last line.
  void set_sweep(std::function<void(int log, bool everything)> sweep);
  /// All files are whole up to here; called when the process exits.
  void finish();
  /// In the child of a fork: the files belong to the parent.
  void forget() noexcept { forgotten_.store(true); }

 private:
  struct Log;
  void write_until_stopped();
  void drain();
  void write_out(Log& log);
  void end(Log& log);
  void start_thread();
  void stop_thread(std::unique_lock<std::mutex>& lock);

  const Settings settings_;
  Ring<Entry> ring_;
  std::array<std::atomic<Log*>, kMostLogs> logs_{};
  std::atomic<int> log_count_{0};
  std::atomic<bool> forgotten_{false};
  /// Below: the writer's and those who open or close.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void(int, bool)> sweep_;
  std::thread thread_;
  LibraryHash hash_;
  int open_count_ = 0;
  bool stopping_ = false;
};

/// The recorder of this process; never destroyed, as threads of the job may come after main().
Recorder& process_recorder();

}  // namespace collbench::recorder
