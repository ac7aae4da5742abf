#include "emulated/softmlx5/nic/fabric.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/process_memory.h"

namespace collbench::softmlx5 {
namespace {

constexpr std::uint32_t kMagic = 0x31354d53;  // "SM51"; changes with the layout
constexpr std::uint16_t kMaxLid = 0xBFFF;     // higher values are multicast LIDs
constexpr int kConnectMs = 1000;

struct FabricHello {
  std::uint32_t magic = kMagic;
  std::uint32_t lid = 0;
  // address of `token` in the sender's memory, to test whether the receiver can copy from there
  std::uint64_t token_address = 0;
  std::uint64_t token = 0;
};

const std::uint64_t kToken = 0x50F7'3155'0A11'600DULL;

bool can_pull_from(pid_t process, const FabricHello& hello) {
  std::uint64_t seen = 0;
  return ipc::copy_from_process(process, hello.token_address, reinterpret_cast<std::byte*>(&seen),
                                sizeof seen) &&
         seen == hello.token;
}

bool is_gone(int fd) {
  pollfd entry{fd, POLLIN, 0};
  if (poll(&entry, 1, 0) <= 0) return false;
  if ((entry.revents & (POLLHUP | POLLERR)) != 0) return true;
  char wake_up = 0;
  ssize_t got = 0;
  do {
    got = ipc::receive_message(fd, &wake_up, sizeof wake_up);
  } while (got > 0);
  return got == 0;
}

}  // namespace

void CardConnection::wake() noexcept {
  if (is_self) return;
  const auto& sleeps = is_requester ? shared->answerer_sleeps : shared->requester_sleeps;
  if (sleeps.load(std::memory_order_seq_cst) == 0) return;
  const char message = 'w';
  ipc::send_message(socket.get(), &message, sizeof message);
}

void CardConnection::sleep(bool asleep) noexcept {
  if (is_self) return;
  (is_requester ? shared->requester_sleeps : shared->answerer_sleeps)
      .store(asleep ? 1 : 0, std::memory_order_seq_cst);
}

std::string Fabric::name_of(std::uint16_t lid) const {
  return "softmlx5/" + fabric_ + "/" + std::to_string(lid);
}

bool Fabric::join(const std::string& name, std::string* problem) {
  fabric_ = name;
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  auto lid = static_cast<std::uint16_t>(static_cast<std::uint32_t>(getpid()) % kMaxLid + 1);
  for (int attempt = 0; attempt < kMaxLid; ++attempt) {
    listener_ = ipc::listen_on(name_of(lid));
    if (listener_) {
      lid_ = lid;
      epoll_event event{EPOLLIN, {}};
      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener_.get(), &event);
      return true;
    }
    if (errno != EADDRINUSE) break;
    lid = static_cast<std::uint16_t>(lid % kMaxLid + 1);
  }
  *problem = "no LID on fabric '" + name + "': " + std::strerror(errno);
  return false;
}

CardConnection* Fabric::to(std::uint16_t lid) {
  const auto known = outgoing_.find(lid);
  if (known != outgoing_.end()) return known->second->is_lost ? nullptr : known->second.get();
  auto channel = std::make_unique<CardConnection>();
  channel->lid = lid;
  channel->is_requester = true;
  channel->is_self = lid == lid_;
  if (!channel->memory.create(sizeof(SharedRings))) return nullptr;
  std::byte* memory = channel->memory.map();
  if (memory == nullptr) return nullptr;
  channel->shared = new (memory) SharedRings;
  channel->out = FrameRing(&channel->shared->requests);
  channel->in = FrameRing(&channel->shared->answers);
  if (channel->is_self) {
    channel->shared->can_pull = 1;
    auto answerer = std::make_unique<CardConnection>();
    answerer->lid = lid;
    answerer->is_self = true;
    answerer->shared = channel->shared;
    answerer->in = FrameRing(&channel->shared->requests);
    answerer->out = FrameRing(&channel->shared->answers);
    incoming_.push_back(std::move(answerer));
  } else {
    // allows peers of the same user to copy, if the system needs that permission
    ipc::processes_can_copy();
    channel->socket = ipc::connect_to(name_of(lid), kConnectMs, &channel->process);
    if (!channel->socket) return nullptr;
    const FabricHello hello{kMagic, lid_, reinterpret_cast<std::uintptr_t>(&kToken), kToken};
    if (!ipc::send_message(channel->socket.get(), &hello, sizeof hello, channel->memory.fd())) return nullptr;
    epoll_event event{EPOLLIN, {}};
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, channel->socket.get(), &event);
  }
  return (outgoing_[lid] = std::move(channel)).get();
}

void Fabric::accept() {
  pid_t process = 0;
  for (FileDescriptor fd = ipc::accept_from(listener_.get(), &process); fd;
       fd = ipc::accept_from(listener_.get(), &process)) {
    auto channel = std::make_unique<CardConnection>();
    channel->process = process;
    channel->socket = std::move(fd);
    unidentified_.push_back(std::move(channel));
  }
  std::erase_if(unidentified_,
                [this](std::unique_ptr<CardConnection>& channel) { return take_hello(channel); });
}

bool Fabric::take_hello(std::unique_ptr<CardConnection>& channel) {
  FabricHello hello;
  FileDescriptor memory;
  const ssize_t got = ipc::receive_message(channel->socket.get(), &hello, sizeof hello, &memory);
  if (got < 0 && errno == EAGAIN) return false;  // connected, but the hello has not arrived
  if (got != sizeof hello || hello.magic != kMagic) return true;
  if (!channel->memory.adopt(std::move(memory), sizeof(SharedRings)) || channel->memory.map() == nullptr)
    return true;
  channel->lid = static_cast<std::uint16_t>(hello.lid);
  channel->shared = reinterpret_cast<SharedRings*>(channel->memory.map());
  channel->in = FrameRing(&channel->shared->requests);
  channel->out = FrameRing(&channel->shared->answers);
  channel->shared->can_pull = can_pull_from(channel->process, hello) ? 1 : 2;
  epoll_event event{EPOLLIN, {}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, channel->socket.get(), &event);
  incoming_.push_back(std::move(channel));
  return true;
}

bool Fabric::mark_lost() {
  bool found = false;
  const auto look = [&found](CardConnection& channel) {
    if (channel.is_self || channel.is_lost || !is_gone(channel.socket.get())) return;
    channel.is_lost = found = true;
  };
  for (auto& [lid, channel] : outgoing_) look(*channel);
  for (auto& channel : incoming_) look(*channel);
  return found;
}

void Fabric::drop_lost() {
  std::erase_if(incoming_, [](const auto& channel) { return channel->is_lost; });
  std::erase_if(outgoing_, [](const auto& entry) { return entry.second->is_lost; });
}

void Fabric::announce_sleep(bool asleep) noexcept {
  for (auto& [lid, channel] : outgoing_) channel->sleep(asleep);
  for (auto& channel : incoming_) channel->sleep(asleep);
}

bool Fabric::is_silent() noexcept {
  for (auto& [lid, channel] : outgoing_)
    if (!channel->in.is_empty()) return false;
  return std::ranges::all_of(incoming_, [](auto& channel) { return channel->in.is_empty(); });
}

void Fabric::wait(int timeout_us) {
  pollfd any{epoll_.get(), POLLIN, 0};
  const timespec timeout{0, timeout_us * 1000L};
  ppoll(&any, 1, &timeout, nullptr);
}

}  // namespace collbench::softmlx5
