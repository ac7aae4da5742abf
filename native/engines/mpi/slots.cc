#include "engines/mpi/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace collbench::mpi {
namespace {

constexpr int kSlotPollMs = 20;
constexpr std::int64_t kLeaveNs = 2'000'000'000;
constexpr std::size_t kShownCommand = 300;  // Characters of a daemon's command in messages.
constexpr std::uint32_t kMaxBytes = 1U << 24;

Error failed(const char* what) { return system_error(ErrorCode::kInternal, what, errno); }

std::string random_name() {
  std::array<std::uint8_t, 12> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw failed("drawing the name of an MPI slot");
  return "collbench-mpi-" + hex_of(bytes);
}

/// Opens a listening socket with an abstract name, for which no file is left behind.
FileDescriptor listen_at(const std::string& name) {
  FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!fd || bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      listen(fd.get(), 4) != 0)
    throw failed("listening for an MPI slot");
  return fd;
}

/// Returns true if the process connected at socket `fd` belongs to this user. Checked because any user may
/// connect to an abstract socket.
bool is_ours(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

/// Returns true if this environment variable is one of those that MPI launchers set for their processes.
bool concerns_mpi(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"OMPI_", "OPAL_", "ORTE_", "PRTE_",  "PMIX_",  "PMI_",
                                            "MPI_",  "MPIR_", "HYDI_", "HYDRA_", "I_MPI_", "SLURM_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string tail_of(int fd, long long begin) {
  constexpr std::size_t kMost = 1500;
  std::string text(kMost, '\0');
  struct stat seen{};
  if (fd < 0 || fstat(fd, &seen) != 0) return "";
  const long long from = std::max<long long>(begin, seen.st_size - static_cast<long long>(kMost));
  const ssize_t n = pread(fd, text.data(), kMost, from);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Returns the shell for which the launcher wrote the command of its daemon: csh for users of csh, else sh.
std::string shell() {
  const char* own = std::getenv("SHELL");
  return own != nullptr && std::string_view(own).ends_with("csh") ? own : "/bin/sh";
}

/// Returns the command for the host with this address. @param commands lines: an address, then its command
/// @throws Error(kUnavailable) if the launcher wants no daemon there
std::string command_for(const std::string& address, const std::string& commands) {
  std::istringstream lines(commands);
  for (std::string host, command; std::getline(lines, host) && std::getline(lines, command);)
    if (host == address) return command;
  throw Error(ErrorCode::kUnavailable, "MPI's launcher starts no daemon on " + address +
                                           "; it knows this host by another name: " + commands);
}

/// Adds the MPI variables of an environment (NAME=VALUE, each with a zero at its end) to `variables`.
void read_variables(const std::string& environment, EngineSettings& variables) {
  for (std::size_t at = 0; at < environment.size();) {
    const std::string entry = environment.c_str() + at;
    at += entry.size() + 1;
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos && concerns_mpi(entry.substr(0, equals)))
      variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
}

}  // namespace

MpiSlots::MpiSlots(Bootstrap& bootstrap, const MpiSlotsRequest& request) {
  const std::string own = random_name();
  listener_ = listen_at(own);
  const std::vector<std::string> lines =
      bootstrap.all_gather("MPI slots", own + "\n" + request.address + "\n" + request.slot);
  std::vector<MpiHostShare> shares;  // One per address, in the order of its first rank.
  std::vector<std::string> share_names;
  std::string names_by_rank;
  bool is_first = true;  // The first rank of its host starts the daemon there.
  for (const std::string& line : lines) {
    const std::size_t first = line.find('\n'), second = line.find('\n', first + 1);
    const MpiHostShare share{line.substr(first + 1, second - first - 1), line.substr(second + 1), 0};
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const MpiHostShare& other) {
      return other.address == share.address;
    });
    const auto at = static_cast<std::size_t>(found - shares.begin());
    if (found == shares.end()) {
      shares.push_back(share);
      share_names.emplace_back();
    }
    const std::string name = line.substr(0, first);
    if (name == own) is_first = shares[at].ranks == 0;
    ++shares[at].ranks;
    share_names[at] += (share_names[at].empty() ? "" : ",") + name;
    names_by_rank += (names_by_rank.empty() ? "" : ",") + name;
  }
  std::string names;
  for (const std::string& some : share_names) names += (names.empty() ? "" : ",") + some;
  reordered_ = names != names_by_rank;
  std::string commands;
  if (bootstrap.rank() == 0) {
    EngineSettings added;
    if (shares.size() > 1) {
      added["COLLBENCH_MPI_REMOTE"] = random_name();
      remote_listener_ = listen_at(added["COLLBENCH_MPI_REMOTE"]);
    }
    const std::vector<std::string> words = request.command(shares, names);
    program_ = words.front();
    start(request, words, added);
    commands = collect_commands(request, shares.size() - 1);
  }
  if (shares.size() > 1) {
    commands = bootstrap.all_gather("MPI daemons", commands).front();
    if (bootstrap.rank() != 0 && is_first) {
      const std::string command = command_for(request.address, commands);
      program_ = "the daemon of MPI's launcher on " + request.address + " (" +
                 command.substr(0, kShownCommand) + ")";
      start(request, {shell(), "-c", command}, {});
    }
  }
  connection_ = accept_slot(listener_, request);
  listener_.reset();
  read_variables(receive(connection_.get(), request), variables_);
  // MPI closes the descriptor.
  if (passed_) variables_["PMI_FD"] = std::to_string(passed_.release());
}

MpiSlots::~MpiSlots() {
  connection_.reset();
  remotes_.clear();
  if (launcher_) launcher_->end(kLeaveNs);
}

void MpiSlots::start(const MpiSlotsRequest& request, const std::vector<std::string>& words,
                     EngineSettings added) {
  struct stat seen{};
  if (request.log_fd >= 0 && fstat(request.log_fd, &seen) == 0) log_begin_ = seen.st_size;
  worker::ChildRequest child;
  child.program = words.front();
  child.arguments.assign(words.begin() + 1, words.end());
  folder_ = std::make_unique<ProcessFolder>();
  child.environment = request.environment;
  child.environment.merge(added);
  child.environment["TMPDIR"] = folder_->path();
  child.log_fd = request.log_fd;
  launcher_ = std::make_unique<worker::Child>(child);
}

std::string MpiSlots::collect_commands(const MpiSlotsRequest& request, std::size_t count) {
  std::string commands;
  while (remotes_.size() < count) {
    remotes_.push_back(accept_slot(remote_listener_, request));
    // The address, then the command, each with a zero at its end.
    const std::string words = receive(remotes_.back().get(), request);
    const std::size_t end = words.find('\0');
    if (end == std::string::npos) throw Error(ErrorCode::kProtocol, "an MPI slot named no host");
    commands += words.substr(0, end) + "\n" + words.substr(end + 1) + "\n";
  }
  return commands;
}

void MpiSlots::check(const MpiSlotsRequest& request) {
  if (request.cancelled && request.cancelled())
    throw Error(ErrorCode::kCancelled, "stopped while MPI's launcher starts its processes");
  if (!launcher_ || !launcher_->ended(0)) return;
  const std::string words = tail_of(request.log_fd, log_begin_);
  // A launcher or daemon that ends in order was told so by another one, which has the cause.
  const bool has_cause = !launcher_->end(0);
  throw Error(
      has_cause ? ErrorCode::kUnavailable : ErrorCode::kConnectionLost,
      program_ + " " + launcher_->describe_exit() + (words.empty() ? " and said nothing" : ": " + words));
}

FileDescriptor MpiSlots::accept_slot(const FileDescriptor& listener, const MpiSlotsRequest& request) {
  for (;;) {
    check(request);
    pollfd waiting{listener.get(), POLLIN, 0};
    if (poll(&waiting, 1, kSlotPollMs) <= 0) continue;
    FileDescriptor peer(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer && is_ours(peer.get())) return peer;
  }
}

std::string MpiSlots::receive(int fd, const MpiSlotsRequest& request) {
  std::string text;
  std::size_t wanted = sizeof(std::uint32_t);
  bool has_length = false;
  std::array<char, 65536> buffer{};
  while (text.size() < wanted) {
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, kSlotPollMs) <= 0) {
      check(request);
      continue;
    }
    iovec part{buffer.data(), std::min(buffer.size(), wanted - text.size())};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ErrorCode::kConnectionLost, "an MPI slot ended before it had said who it is");
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
      int passed = -1;
      if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
      std::memcpy(&passed, CMSG_DATA(head), sizeof passed);
      passed_ = FileDescriptor(passed);
    }
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (has_length || text.size() < wanted) continue;
    std::uint32_t length = 0;
    std::memcpy(&length, text.data(), sizeof length);
    if (length > kMaxBytes) throw Error(ErrorCode::kProtocol, "an MPI slot sent too many variables");
    has_length = true;
    wanted = length;
    text.clear();
  }
  return text;
}

}  // namespace collbench::mpi
