#pragma once
// Recorder of a job's calls. Threads of the job put entries into a ring and continue. One thread of ours
// writes them every few milliseconds, one file per communicator, so a killed job loses only the last entries.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "recorder/bounded_queue.h"
#include "recorder/entry.h"
#include "recorder/library_hash.h"
#include "recorder/lines.h"

namespace collbench::recorder {

struct Settings {
  /// "" = recording is off.
  std::string directory;
  /// Token of one `collbench record`; distinguishes its files from those of other jobs in the folder.
  std::string token;
  std::size_t ring_size = 16384;
  /// Settings from COLLBENCH_RECORD_DIR, COLLBENCH_RECORD_TOKEN and COLLBENCH_RECORD_RING.
  static Settings of_environment();
};

class Recorder {
 public:
  static constexpr int kMaxLogs = 4096;
  explicit Recorder(Settings settings);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Starts the record of one communicator. @returns its log number; -1: not recorded, with the reason in
  /// `why` ("" = recording is off)
  int open(const Header& header, std::string& why);
  /// Queues an entry. Never waits and never throws; if the ring is full, the entry counts as lost.
  void put(const Entry& entry) noexcept;
  void lose_device_time(int log) noexcept;
  /// Writes the remaining entries and the last line. The thread ends with the last communicator.
  void close(int log);
  /// Sets a function that the writer calls before it drains the ring: it delivers device times of unfinished
  /// calls. `everything` asks for all of them, before the last line of a communicator.
  void set_sweep(std::function<void(int log, bool everything)> sweep);
  /// Completes all files up to now; called when the process exits.
  void finish();
  /// Stops recording in the child of a fork, because the files belong to the parent.
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
  BoundedQueue<Entry> ring_;
  std::array<std::atomic<Log*>, kMaxLogs> logs_{};
  std::atomic<int> log_count_{0};
  std::atomic<bool> forgotten_{false};
  /// Guards the members below, used by the writer and by open and close.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void(int, bool)> sweep_;
  std::thread thread_;
  LibraryHash hash_;
  int open_count_ = 0;
  bool stopping_ = false;
};

/// The recorder of this process; never destroyed, because threads of the job may call it after main().
Recorder& process_recorder();

}  // namespace collbench::recorder
