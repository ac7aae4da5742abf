#include "engines/nccl/log.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <optional>

#include "core/error.h"

namespace collbench::nccl {
namespace {

constexpr std::size_t kMaxWarnings = 20, kTailLines = 20;

/// Names of NCCL's algorithms as in NCCL_ALGO, indexed by NCCL's number.
constexpr std::string_view kAlgorithms[] = {"Tree",     "Ring", "CollNetDirect", "CollNetChain", "NVLS",
                                            "NVLSTree", "PAT"};
constexpr std::string_view kProtocols[] = {"LL", "LL128", "Simple"};

/// Returns the part of `text` after `mark`; nullopt if `mark` is not in it.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

std::string_view word(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

std::optional<long> number(std::string_view text) {
  long value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// Returns a name in lower case and without underscores, so that "NVLS_TREE" and "NVLSTree" are equal.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

/// Returns the name in `names` that a log writes as "RING", "Ring" or "1"; an unknown one is kept as it is.
template <std::size_t kCount>
std::string name_in(const std::string_view (&names)[kCount], std::string_view said) {
  if (const auto index = number(said); index && *index >= 0 && static_cast<std::size_t>(*index) < kCount)
    return std::string(names[static_cast<std::size_t>(*index)]);
  const auto found = std::find_if(std::begin(names), std::end(names),
                                  [&](std::string_view name) { return plain(name) == plain(said); });
  return std::string(found != std::end(names) ? *found : said);
}

/// Returns NCCL's text for a path without device numbers and kinds of buffers: "NET/IB/0(3)/GDRDMA/Shared"
/// becomes "NET/IB/GDRDMA", "P2P/indirect/3[2]" becomes "P2P/indirect", "SHM/direct/direct" becomes
/// "SHM/direct".
std::string way_of(std::string_view via) {
  while (!via.empty() && (via.back() == ' ' || via.back() == '\r')) via.remove_suffix(1);
  const auto first = via.find('/');
  const auto second = first == std::string_view::npos ? first : via.find('/', first + 1);
  std::string way(via.substr(0, second));
  if (way.starts_with("NET/") && via.find("/GDRDMA") != std::string_view::npos) way += "/GDRDMA";
  return way;
}

void take_connection(std::string_view text, LogFindings& findings) {
  const bool channel = text.starts_with("Channel ");
  if (!channel && !text.starts_with("CollNet ")) return;
  // "Channel 00/02 : 0 1" describes a ring and is not a connection.
  const auto via = after(text, " via ");
  if (!via) return;
  if (const std::string way = way_of(*via); !way.empty()) ++findings.paths[way];
}

void take_gin(std::string_view text, LogFindings& findings) {
  if (!text.starts_with("GIN/Plugin: Assigned plugin ")) return;
  const auto type = after(text, " type ");
  const long kind = type ? number(*type).value_or(0) : 0;
  if (kind <= 0) return;
  ++findings.paths[kind == 3 ? "GIN/GDAKI" : kind == 2 ? "GIN/PROXY" : "GIN/" + std::to_string(kind)];
}

/// Parses a log line like "NET/Plugin: Loaded net plugin AWS Libfabric (v10)" and records the plugin's name
/// and version. Other lines are ignored. Before NCCL 2.12, a blank follows "NET/Plugin".
void take_plugin(std::string_view text, LogFindings& findings) {
  if (!text.starts_with("NET/Plugin")) return;
  const auto loaded = after(text, "Loaded net plugin ");
  if (!loaded) return;
  const auto version = loaded->rfind(" (v");
  if (version == std::string_view::npos) return;
  const auto number_at = number(loaded->substr(version + 3));
  if (version > 0 && number_at)
    findings.plugin = std::string(loaded->substr(0, version)) + " v" + std::to_string(*number_at);
}

std::string range(long first, long last) { return std::to_string(first) + ".." + std::to_string(last); }

void take_choice(std::string_view text, LogFindings& findings) {
  const auto choice = after(text, " Bytes -> ");
  if (!choice) return;
  findings.protocol.clear();
  findings.channels.clear();
  if (const auto kernel = after(*choice, "Kernel ");
      kernel && text.find("[Symmetric]") != std::string_view::npos) {
    findings.algorithm = "Symmetric";
    findings.protocol = word(*kernel);
    if (const auto channels = after(*kernel, "nchannels "))
      if (const auto count = number(*channels); count && *count > 0) findings.channels = range(0, *count - 1);
  } else if (text.find("[Hierarchical CE]") != std::string_view::npos) {
    findings.algorithm = "HierarchicalCE";
  } else if (text.find("[Copy Engine]") != std::string_view::npos) {
    findings.algorithm = "CopyEngine";
  } else if (const auto algorithm = after(*choice, "Algo ")) {
    findings.algorithm = name_in(kAlgorithms, word(*algorithm));
    if (const auto protocol = after(*algorithm, " proto "))
      findings.protocol = name_in(kProtocols, word(*protocol));
    if (const auto channels = after(*algorithm, "channel{Lo..Hi}={")) {
      const auto last = after(*channels, "..");
      if (number(*channels) && last && number(*last))
        findings.channels = range(*number(*channels), *number(*last));
    }
  }
}

void take_information(std::string_view text, LogFindings& findings) {
  take_connection(text, findings);
  take_gin(text, findings);
  take_plugin(text, findings);
  take_choice(text, findings);
  if (text.starts_with("NVLS comm ")) ++findings.paths["NVLS"];  // NCCL has created multicast buffers.
  if (text.starts_with("Using network "))
    findings.network = text.substr(std::string_view("Using network ").size());
  if (text.starts_with("Init timings "))
    if (const auto total = after(text, " total ")) {
      double seconds = 0;
      if (std::from_chars(total->data(), total->data() + total->size(), seconds).ec == std::errc{})
        findings.init_s = seconds;
    }
}

/// Returns the descriptor of this process's in-memory log file (memfd). All captures of a process share one
/// file, because NCCL opens NCCL_DEBUG_FILE only once and writes to that file until the process ends.
int memory_file() {
  static const int fd = memfd_create("collbench-nccl-log", MFD_CLOEXEC);
  if (fd < 0) throw system_error(ErrorCode::kInternal, "memfd_create for NCCL's log", errno);
  return fd;
}

std::int64_t size_of_file(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 ? static_cast<std::int64_t>(status.st_size) : 0;
}

}  // namespace

void take_line(std::string_view line, LogFindings& findings) {
  // Forms of lines: "host:pid:tid [dev] NCCL INFO text"; "[time] host:pid:tid [dev] file:line (func) NCCL
  // WARN text".
  if (const auto warning = after(line, " NCCL WARN ")) {
    auto& warnings = findings.warnings;
    if (warnings.size() < kMaxWarnings &&
        std::find(warnings.begin(), warnings.end(), *warning) == warnings.end())
      warnings.emplace_back(*warning);
  } else if (const auto text = after(line, " NCCL INFO ")) {
    take_information(*text, findings);
  }
}

LogCapture::LogCapture(int fd) : fd_(fd < 0 ? memory_file() : fd), read_to_(size_of_file(fd_)) {}

LogCapture::~LogCapture() = default;

std::string LogCapture::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

void LogCapture::update() {
  if (size_of_file(fd_) < read_to_) read_to_ = 0;  // A second NCCL has opened the file and truncated it.
  char block[16384];
  for (;;) {
    const ssize_t got = pread(fd_, block, sizeof block, read_to_);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    read_to_ += got;
    partial_.append(block, static_cast<std::size_t>(got));
  }
  std::size_t begin = 0;
  for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n', begin)) {
    const std::string_view line = std::string_view(partial_).substr(begin, end - begin);
    take_line(line, findings_);
    if (!line.empty()) tail_.emplace_back(line);
    if (tail_.size() > kTailLines) tail_.erase(tail_.begin());
    begin = end + 1;
  }
  partial_.erase(0, begin);
}

void LogCapture::forget_choice() {
  findings_.algorithm.clear();
  findings_.protocol.clear();
  findings_.channels.clear();
}

}  // namespace collbench::nccl
