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
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/cached_build.h"
#include "core/error.h"
#include "core/text.h"

namespace collbench::mpi {
namespace {

constexpr int kSlotPollMs = 20;
constexpr std::int64_t kLeaveNs = 2'000'000'000;
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

namespace fs = std::filesystem;

constexpr const char* kPrefix = "mpi-run-";

/// Returns a text that identifies a process for ever, such as "4711-83920" (process id and start time);
/// "" if there is no such process.
std::string name_of_process(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::size_t at = text.rfind(')');  // The process name may contain any character.
  constexpr int kFieldsBefore = 20;  // Fields between the state and the start time.
  for (int field = 0; field < kFieldsBefore && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return "";
  return pid + "-" + text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

/// Returns the beginning of folder names for this machine, boot and container. Reason: the cache folder may
/// also contain folders of other machines, whose processes cannot be seen from here.
std::string prefix_of_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::error_code failed;
  // Text like "pid:[4026531836]".
  std::string space = fs::read_symlink("/proc/self/ns/pid", failed).string();
  std::erase_if(space, [](char c) { return c < '0' || c > '9'; });
  return kPrefix + boot.substr(0, boot.find('-')) + "-" + space + "-";
}

void sweep(const fs::path& cache, const std::string& prefix) {
  std::error_code failed;
  for (fs::directory_iterator one(cache, failed), end; !failed && one != end; one.increment(failed)) {
    const std::string file = one->path().filename().string();
    if (!file.starts_with(prefix)) continue;
    const std::string name = file.substr(prefix.size());
    std::error_code ignored;
    if (name_of_process(name.substr(0, name.find('-'))) != name) fs::remove_all(one->path(), ignored);
  }
}

}  // namespace

MpiSlots::MpiSlots(Bootstrap& bootstrap, const MpiSlotsRequest& request) {
  const std::string own = random_name();
  listener_ = listen_at(own);
  const std::vector<std::string> names = bootstrap.all_gather("MPI slots", own);
  if (bootstrap.rank() == 0) {
    struct stat seen{};
    if (request.log_fd >= 0 && fstat(request.log_fd, &seen) == 0) log_begin_ = seen.st_size;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    worker::ChildRequest child;
    child.program = request.command.front();
    child.arguments.assign(request.command.begin() + 1, request.command.end());
    child.arguments.push_back(list);
    folder_ = std::make_unique<LauncherFolder>();
    child.environment = request.environment;
    child.environment["TMPDIR"] = folder_->path();
    child.log_fd = request.log_fd;
    launcher_ = std::make_unique<worker::Child>(child);
  }
  await(request);
  receive(request);
}

MpiSlots::~MpiSlots() {
  connection_.reset();
  if (launcher_) launcher_->end(kLeaveNs);
}

void MpiSlots::check(const MpiSlotsRequest& request) {
  if (request.cancelled && request.cancelled())
    throw Error(ErrorCode::kCancelled, "stopped while MPI's launcher starts its processes");
  if (!launcher_ || !launcher_->ended(0)) return;
  const std::string words = tail_of(request.log_fd, log_begin_);
  throw Error(ErrorCode::kUnavailable, request.command.front() + " " + launcher_->describe_exit() +
                                           (words.empty() ? " and said nothing" : ": " + words));
}

void MpiSlots::await(const MpiSlotsRequest& request) {
  while (!connection_) {
    check(request);
    pollfd waiting{listener_.get(), POLLIN, 0};
    if (poll(&waiting, 1, kSlotPollMs) <= 0) continue;
    FileDescriptor peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer && is_ours(peer.get())) connection_ = std::move(peer);
  }
  listener_.reset();
}

void MpiSlots::receive(const MpiSlotsRequest& request) {
  std::string text;
  std::size_t wanted = sizeof(std::uint32_t);
  bool has_length = false;
  std::array<char, 65536> buffer{};
  while (text.size() < wanted) {
    pollfd waiting{connection_.get(), POLLIN, 0};
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
    const ssize_t n = recvmsg(connection_.get(), &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ErrorCode::kConnectionLost, "an MPI slot ended before it had said who it is");
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
      int fd = -1;
      if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
      std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
      passed_ = FileDescriptor(fd);
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
  for (std::size_t at = 0; at < text.size();) {
    const std::string entry = text.c_str() + at;
    at += entry.size() + 1;
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos && concerns_mpi(entry.substr(0, equals)))
      variables_[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  // MPI closes the descriptor.
  if (passed_) variables_["PMI_FD"] = std::to_string(passed_.release());
}

LauncherFolder::LauncherFolder() {
  const std::string cache = private_cache_folder(), prefix = prefix_of_machine();
  sweep(cache, prefix);
  path_ = cache + "/" + prefix + name_of_process(std::to_string(getpid()));
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw system_error(ErrorCode::kUnavailable, "making " + path_, errno);
}

LauncherFolder::~LauncherFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace collbench::mpi
