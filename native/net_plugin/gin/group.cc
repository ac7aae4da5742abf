#include "net_plugin/gin/group.h"

#include <array>
#include <cstring>
#include <list>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench::net_plugin::gin {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
/// All ranks connect and register at nearly the same time; one that does not within this has a trouble.
constexpr std::int64_t kTogetherNs = 120 * kSecond;
constexpr std::int64_t kGoodbyeNs = 2 * kSecond;

bool covers(std::uint64_t size, std::uint64_t offset, std::size_t bytes) {
  return offset <= size && bytes <= size - offset;
}

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Error(ErrorCode::kInvalidArgument, otherwise);
}

}  // namespace

/// A connection that has not said yet whose it is.
struct Group::Visitor {
  std::unique_ptr<RecvComm> comm;
  Request* request = nullptr;
  Frame hello{};
  bool heard = false;
};

/// A failure is remembered, because NCCL does not look at all results.
template <typename Body>
auto Group::guarded(Body body) {
  const std::lock_guard lock(mutex_);
  require_alive();
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) failure_ = error.what();
    throw;
  }
}

void Group::require_alive() const {
  if (!failure_.empty()) throw Error(ErrorCode::kConnectionLost, "failed before: " + failure_);
}

Group::Group(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
             std::span<const ConnectHandle> handles, int rank)
    : transport_(std::move(transport)),
      rank_(static_cast<std::size_t>(rank)),
      windows_(GpuLane::of_current_context()),
      scratch_(std::make_unique<Staging>(windows_.lane())),
      links_(handles.size()) {
  connect(device, listener, handles);
}

void Group::connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles) {
  std::vector<std::unique_ptr<Connecting>> connecting(handles.size());
  std::list<Visitor> visitors;
  const std::int64_t deadline = now_ns() + kTogetherNs;
  Spinner spinner;
  for (std::size_t open = 1; open != 0; spinner.step()) {
    open = 0;
    for (std::size_t peer = 0; peer < links_.size(); ++peer) {
      auto& link = links_[peer];
      if (peer == rank_) continue;
      if (link == nullptr) {
        if (connecting[peer] == nullptr) connecting[peer] = transport_->connect(device, handles[peer]);
        if (auto comm = connecting[peer]->poll()) {
          link = std::make_unique<Link>(std::move(comm), windows_.lane());
          Outgoing hello;
          hello.frame.kind = FrameKind::kHello;
          hello.frame.offset = rank_;
          link->queue(hello);
        }
      }
      if (link != nullptr) link->send(windows_);
      if (link == nullptr || !link->is_attached() || !link->is_idle()) ++open;
    }
    if (auto comm = listener.accept()) visitors.emplace_back().comm = std::move(comm);
    for (auto visitor = visitors.begin(); visitor != visitors.end();) {
      const ReceiveBuffer buffer{&visitor->hello, sizeof visitor->hello, 0, nullptr};
      if (visitor->request == nullptr) visitor->request = visitor->comm->irecv({&buffer, 1});
      if (!visitor->heard && visitor->request != nullptr)
        visitor->heard = visitor->comm->test(visitor->request, nullptr);
      if (!visitor->heard) {
        ++visitor;
        continue;
      }
      const std::uint64_t peer = visitor->hello.offset;
      if (visitor->hello.kind != FrameKind::kHello || peer >= links_.size() || peer == rank_)
        throw Error(ErrorCode::kProtocol, "a connection began with something else than a rank");
      if (links_[peer] == nullptr) {  // it reached us first: it is attached once we have reached it
        ++visitor;
        continue;
      }
      if (links_[peer]->is_attached())
        throw Error(ErrorCode::kProtocol, "rank " + std::to_string(peer) + " connected twice");
      links_[peer]->attach(std::move(visitor->comm), windows_.lane());
      visitor = visitors.erase(visitor);
    }
    if (open != 0 && now_ns() > deadline)
      throw Error(ErrorCode::kTimeout, std::to_string(open) + " of " + std::to_string(links_.size() - 1) +
                                           " ranks did not connect within 120 s");
  }
}

Group::~Group() {
  if (!failure_.empty()) return;
  Outgoing goodbye;
  goodbye.frame.kind = FrameKind::kGoodbye;
  for (auto& link : links_)
    if (link != nullptr && !link->left) link->queue(goodbye);
  const std::int64_t deadline = now_ns() + kGoodbyeNs;
  Spinner spinner;
  for (bool waits = true; waits && now_ns() < deadline; spinner.step()) {
    waits = false;
    for (auto& link : links_) {
      if (link == nullptr || link->left || link->is_idle()) continue;
      try {
        exchange(*link);
      } catch (const std::exception&) {
        link->left = true;  // who is gone needs no goodbye
      }
      waits = true;
    }
  }
}

Window* Group::add(void* data, std::size_t bytes, MemoryKind kind) {
  Window* window = guarded([&] {
    Window& added = windows_.add(data, bytes, kind);
    Outgoing word;
    word.frame.kind = FrameKind::kRegister;
    word.frame.window = added.number;
    word.frame.offset = bytes;
    for (auto& link : links_)
      if (link != nullptr) link->queue(word);
    return &added;
  });
  const std::int64_t deadline = now_ns() + kTogetherNs;
  Spinner spinner;
  for (bool waits = true; waits; spinner.step()) {
    waits = guarded([&] {
      step();
      for (std::size_t peer = 0; peer < links_.size(); ++peer) {
        const auto& link = links_[peer];
        if (link == nullptr) continue;
        const bool registered = link->peer_windows.contains(window->number);
        if (link->left && !registered)
          throw Error(ErrorCode::kConnectionLost, "rank " + std::to_string(peer) + " has left");
        if (!registered || !link->is_idle()) return true;
      }
      return false;
    });
    if (waits && now_ns() > deadline)
      throw Error(ErrorCode::kTimeout, "not all ranks registered their memory within 120 s");
  }
  return window;
}

void Group::remove(const Window* window) {
  const std::lock_guard lock(mutex_);
  windows_.remove(window);
}

Operation* Group::take() {
  if (free_.empty()) {
    operations_.emplace_back();
    free_.push_back(&operations_.back());
  }
  Operation* operation = free_.back();
  free_.pop_back();
  operation->done = false;
  return operation;
}

void Group::put_to_self(const Put& put) {
  if (put.bytes != 0)
    windows_.copy(*put.target, put.target_offset, *put.source, put.source_offset, put.bytes);
  if (put.signal != nullptr)
    windows_.add_to_word(*put.signal, put.signal_offset, put.signal_value, scratch_->word());
  windows_.finish();
}

Operation* Group::put(const Put& put) {
  return guarded([&] {
    require(put.rank < links_.size(), "there is no rank " + std::to_string(put.rank));
    Link* link = links_[put.rank].get();
    // Windows differ in size from rank to rank at most by the user's mistake, which the target would pay for.
    const auto size_there = [&](const Window& window) {
      return link == nullptr ? std::uint64_t{window.bytes} : link->peer_windows.at(window.number);
    };
    if (put.bytes != 0) {
      require(put.source != nullptr && put.target != nullptr, "a put of data names no window");
      require(covers(put.source->bytes, put.source_offset, put.bytes), "a put reads outside of its window");
      require(covers(size_there(*put.target), put.target_offset, put.bytes),
              "a put writes outside of the window of rank " + std::to_string(put.rank));
    }
    if (put.signal != nullptr)
      require(put.signal_offset % 8 == 0 && covers(size_there(*put.signal), put.signal_offset, 8),
              "a signal lies outside of its window");
    Operation* operation = take();
    if (link == nullptr) {
      put_to_self(put);
      operation->done = true;
      return operation;
    }
    if (link->left) throw Error(ErrorCode::kConnectionLost, "rank " + std::to_string(put.rank) + " has left");
    Outgoing outgoing;
    outgoing.frame.kind = FrameKind::kPut;
    outgoing.source = put.source;
    outgoing.source_offset = put.source_offset;
    outgoing.left = put.bytes;
    outgoing.operation = operation;
    if (put.bytes != 0) {
      outgoing.frame.window = put.target->number;
      outgoing.frame.offset = put.target_offset;
    }
    if (put.signal != nullptr) {
      outgoing.frame.signals = 1;
      outgoing.frame.signal_window = put.signal->number;
      outgoing.frame.signal_offset = put.signal_offset;
      outgoing.frame.signal_value = put.signal_value;
    }
    link->queue(outgoing);
    link->send(windows_);
    return operation;
  });
}

bool Group::test(Operation* operation) {
  const auto is_done = [&] {
    if (!operation->done) return false;
    free_.push_back(operation);
    return true;
  };
  {
    const std::lock_guard lock(mutex_);
    if (is_done()) return true;
  }
  return guarded(is_done);
}

void Group::progress() {
  guarded([&] { step(); });
}

bool Group::has_failed() {
  const std::lock_guard lock(mutex_);
  return !failure_.empty();
}

void Group::step() {
  for (std::size_t peer = 0; peer < links_.size(); ++peer) {
    Link* link = links_[peer].get();
    if (link == nullptr) continue;
    if (!link->left) exchange(*link);
    if (link->left && !link->is_idle())
      throw Error(ErrorCode::kConnectionLost,
                  "rank " + std::to_string(peer) + " left while puts were on their way to it");
  }
}

void Group::exchange(Link& link) {
  link.send(windows_);
  link.receive(windows_, [&](const Frame& frame, const std::byte* payload) { apply(link, frame, payload); });
}

void Group::apply(Link& link, const Frame& frame, const std::byte* payload) {
  switch (frame.kind) {
    case FrameKind::kRegister:
      link.peer_windows[frame.window] = frame.offset;
      return;
    case FrameKind::kGoodbye:
      link.left = true;
      return;
    case FrameKind::kPut:
      if (frame.bytes != 0)
        windows_.write(windows_.find(frame.window, frame.offset, frame.bytes), frame.offset, payload,
                       frame.bytes);
      if (frame.signals != 0)
        windows_.add_to_word(windows_.find(frame.signal_window, frame.signal_offset, sizeof(std::uint64_t)),
                             frame.signal_offset, frame.signal_value, scratch_->word());
      return;
    default:
      throw Error(ErrorCode::kProtocol, "a frame of an unknown kind arrived");
  }
}

}  // namespace collbench::net_plugin::gin
