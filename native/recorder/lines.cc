#include "recorder/lines.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/clock.h"

namespace collbench::recorder {

namespace {

constexpr int kFormatVersion = 1;

std::string number(std::int64_t value) { return std::to_string(value); }

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

/// Returns the path of the running program, without its arguments, because these may contain secrets; "" if
/// it cannot be read.
std::string program() {
  char path[4096] = {};
  const ssize_t got = readlink("/proc/self/exe", path, sizeof path - 1);
  return got > 0 ? std::string(path, static_cast<std::size_t>(got)) : "";
}

/// Returns the rank of this process in the job, from the environment variables of known launchers; -1 if none
/// has a number of at least 0.
std::int64_t world_rank() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') continue;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end == '\0' && value >= 0) return value;
  }
  return -1;
}

void word(std::string& to, const char* key, const char* value) {
  if (value == nullptr || *value == '\0') return;
  ((to += ",\"") += key) += "\":";
  to += quoted(value);
}

void whole(std::string& to, const char* key, std::int64_t value) {
  ((to += ",\"") += key) += "\":";
  to += number(value);
}

std::string losses_fields(const Losses& losses) {
  std::string text;
  whole(text, "lostCalls", static_cast<std::int64_t>(losses.calls));
  whole(text, "lostDeviceTimes", static_cast<std::int64_t>(losses.device_times));
  return text;
}

}  // namespace

ClockReadings ClockReadings::now() noexcept {
  timespec real;
  const std::int64_t before = now_ns();
  clock_gettime(CLOCK_REALTIME, &real);
  const std::int64_t after = now_ns();
  return {before + (after - before) / 2,
          static_cast<std::int64_t>(real.tv_sec) * 1'000'000'000 + real.tv_nsec};
}

std::string quoted(const char* text) {
  std::string out = "\"";
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') {
      (out += '\\') += *c;
    } else if (static_cast<unsigned char>(*c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(*c));
      out += escaped;
    } else {
      out += *c;
    }
  }
  return out += '"';
}

std::string header_line(const Header& header, const std::string& token, const ClockReadings& clocks) {
  std::string line = "{\"t\":\"header\",\"v\":" + number(kFormatVersion);
  word(line, "source", header.source.c_str());
  whole(line, "interface", header.interface_version);
  word(line, "token", token.c_str());
  word(line, "host", host_name().c_str());
  whole(line, "pid", getpid());
  word(line, "program", program().c_str());
  word(line, "comm", header.communicator.c_str());
  word(line, "name", header.name.c_str());
  whole(line, "ranks", header.ranks);
  whole(line, "rank", header.rank);
  whole(line, "nodes", header.nodes);
  if (const std::int64_t rank = world_rank(); rank >= 0) whole(line, "worldRank", rank);
  word(line, "library", header.library_path.c_str());
  word(line, "libraryVersion", header.library_version.c_str());
  // Written as text, because 19 digits exceed a double's precision.
  word(line, "monotonicNs", number(clocks.monotonic_ns).c_str());
  word(line, "realtimeNs", number(clocks.realtime_ns).c_str());
  return line += "}\n";
}

void append_entry(std::string& to, const RecordEntry& entry, std::int64_t base_ns) {
  const bool is_call = entry.what == EntryKind::kCall;
  to += is_call ? "{\"t\":\"call\"" : "{\"t\":\"device\"";
  whole(to, "k", static_cast<std::int64_t>(entry.call));
  if (!is_call) {
    word(to, "atNs", std::to_string(entry.device_start_ns).c_str());
    whole(to, "ns", static_cast<std::int64_t>(entry.device_stop_ns - entry.device_start_ns));
    whole(to, "seenNs", entry.stop_ns - base_ns);
    to += "}\n";
    return;
  }
  whole(to, "seq", static_cast<std::int64_t>(entry.sequence));
  word(to, "func", entry.function);
  whole(to, "count", static_cast<std::int64_t>(entry.count));
  word(to, "dtype", entry.type);
  if (entry.bytes != 0) whole(to, "bytes", static_cast<std::int64_t>(entry.bytes));
  if (entry.root >= 0) whole(to, "root", entry.root);
  if (entry.peer >= 0) whole(to, "peer", entry.peer);
  word(to, "algo", entry.algorithm);
  word(to, "proto", entry.protocol);
  if (entry.channels != 0) whole(to, "channels", entry.channels);
  if (entry.stream != 0) {
    char text[24];
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(entry.stream));
    word(to, "stream", text);
  }
  if (entry.is_graph) to += ",\"graph\":true";
  if (entry.is_issue) to += ",\"issue\":true";
  whole(to, "startNs", entry.start_ns - base_ns);
  whole(to, "ns", entry.stop_ns - entry.start_ns);
  to += "}\n";
}

std::string clock_line(const ClockReadings& clocks, std::int64_t base_ns) {
  std::string line = "{\"t\":\"clock\"";
  whole(line, "ns", clocks.monotonic_ns - base_ns);
  word(line, "realtimeNs", number(clocks.realtime_ns).c_str());
  return line += "}\n";
}

std::string losses_line(const Losses& losses) { return "{\"t\":\"lost\"" + losses_fields(losses) + "}\n"; }

std::string library_line(const std::string& path, std::uint64_t bytes, const std::string& sha256) {
  std::string line = "{\"t\":\"library\"";
  word(line, "path", path.c_str());
  whole(line, "bytes", static_cast<std::int64_t>(bytes));
  word(line, "sha256", sha256.c_str());
  return line += "}\n";
}

std::string end_line(std::uint64_t calls, std::uint64_t device_times, const Losses& losses) {
  std::string line = "{\"t\":\"end\"";
  whole(line, "calls", static_cast<std::int64_t>(calls));
  whole(line, "deviceTimes", static_cast<std::int64_t>(device_times));
  return line += losses_fields(losses) + "}\n";
}

}  // namespace collbench::recorder
