#include "recorder/mpi/record.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>

#include "recorder/recorder.h"

namespace {

using collbench::recorder::Header;
using collbench::recorder::process_recorder;
using collbench::recorder::RecordEntry;
using collbench::recorder::Recorder;

/// Number of MPI calls so far for each communicator, indexed by the number of the communicator's record.
std::array<std::atomic<std::uint64_t>, Recorder::kMaxLogs> call_counts{};

std::string text(const char* words) { return words == nullptr ? "" : words; }

}  // namespace

#define COLLBENCH_EXPORT __attribute__((visibility("default")))

extern "C" {

COLLBENCH_EXPORT int collbench_record_open(const collbench_communicator* communicator) {
  try {
    Header header;
    header.source = "mpi";
    header.communicator = text(communicator->id);
    header.name = text(communicator->name);
    header.ranks = communicator->ranks;
    header.rank = communicator->rank;
    header.library_path = text(communicator->library_path);
    header.library_version = text(communicator->library_version);
    std::string why;
    const int log = process_recorder().open(header, why);
    if (log < 0 && !why.empty()) std::fprintf(stderr, "collbench record: not recorded: %s\n", why.c_str());
    return log;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collbench record: not recorded: %s\n", error.what());
    return -1;
  }
}

COLLBENCH_EXPORT void collbench_record_call(const collbench_call* call) {
  if (call->log < 0) return;
  RecordEntry entry;
  entry.log = call->log;
  entry.call = call_counts[static_cast<std::size_t>(call->log)].fetch_add(1, std::memory_order_relaxed);
  entry.sequence = call->sequence;
  entry.function = call->function;
  entry.type = call->type;
  entry.count = call->count;
  entry.bytes = call->bytes;
  entry.root = call->root;
  entry.peer = call->peer;
  entry.is_issue = call->is_issue != 0;
  entry.start_ns = call->start_ns;
  entry.stop_ns = call->stop_ns;
  process_recorder().put(entry);
}

COLLBENCH_EXPORT void collbench_record_close(int log) {
  try {
    process_recorder().close(log);
  } catch (const std::exception&) {
    // The record then has no last line, which its reader reports.
  }
}

COLLBENCH_EXPORT void collbench_record_finish() {
  try {
    process_recorder().finish();
  } catch (const std::exception&) {
    // The record then has no last line, which its reader reports.
  }
}
}
