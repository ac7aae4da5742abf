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

/// Settings of the recorder that is loaded into a process of the user's job.
struct Settings {
  /// Folder for the record files; "" = recording is off.
  std::string directory;
  /// Text that identifies one run of `collbench record`; it distinguishes that run's files from those of
  /// other jobs in the folder.
  std::string token;
  std::size_t ring_size = 16384;
  /// Returns the settings in the environment variables COLLBENCH_RECORD_DIR, COLLBENCH_RECORD_TOKEN and
  /// COLLBENCH_RECORD_RING.
  static Settings of_environment();
};

/// Writes the calls of this process to files, one file for each communicator. The job's threads only put
/// entries into a queue; a thread of the recorder writes them.
class Recorder {
 public:
  static constexpr int kMaxLogs = 4096;
  explicit Recorder(Settings settings);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Creates the record file of one communicator.
  /// @param why receives the reason if that fails; unchanged if recording is off or this is the child of a
  /// fork
  /// @returns number of the record, for RecordEntry::log and close(); -1 = the communicator is not recorded
  int open(const Header& header, std::string& why);
  /// Queues a call or device time; the recorder's thread writes it to a file. Never waits and never throws:
  /// if the queue is full, the entry is dropped and counted as lost. An entry whose `log` is -1 is ignored.
  void put(const RecordEntry& entry) noexcept;
  /// Counts a call, or the device time of one, as lost: it cannot be queued.
  /// @param log number of the communicator's record, from open(); -1 is ignored
  void lose(int log, EntryKind what) noexcept;
  /// Ends the record of one communicator: writes its queued entries and the last line, and closes the file.
  /// With the last open record the writing thread ends. @param log number that open() returned
  void close(int log);
  /// Sets a function that puts device times of unfinished calls into the queue. The writing thread calls it
  /// about twice per second for each record, with `everything` false. With `everything` true it is called
  /// before a record's last line, and must then put all times that it has.
  void set_sweep(std::function<void(int log, bool everything)> sweep);
  /// Completes and closes all record files; called when the process exits. Does nothing in the child of a
  /// fork.
  void finish();
  /// Stops recording in the child of a fork, because the files belong to the parent.
  void forget() noexcept { forgotten_.store(true); }

 private:
  struct Log;
  void write_until_stopped();
  /// Moves queued entries to the texts of their records, at most 65,536. @returns their number
  std::size_t drain();
  /// Moves all entries that are queued at the call to the texts of their records, and writes long texts out.
  void drain_all();
  void write_out(Log& log);
  void end(Log& log);
  void start_thread();
  void stop_thread(std::unique_lock<std::mutex>& lock);

  const Settings settings_;
  BoundedQueue<RecordEntry> ring_;
  std::array<std::atomic<Log*>, kMaxLogs> logs_{};
  std::atomic<int> log_count_{0};
  std::atomic<bool> forgotten_{false};
  /// Protects the members below, which the writing thread, open() and close() use.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void(int, bool)> sweep_;
  std::thread thread_;
  LibraryHash hash_;
  int open_count_ = 0;
  bool stopping_ = false;
};

/// Returns the recorder of this process, which writes the communication calls of the user's job to files. It
/// is never destroyed, because threads of the job may still call it after main() has returned.
Recorder& process_recorder();

}  // namespace collbench::recorder
