#include "net_plugin/gin/group.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench::net_plugin::gin {
namespace {

constexpr std::int64_t kGoodbyeNs = 2'000'000'000;

bool covers(std::uint64_t size, std::uint64_t offset, std::size_t bytes) {
  return offset <= size && bytes <= size - offset;
}

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Error(ErrorCode::kInvalidArgument, otherwise);
}

}  // namespace

/// Calls `body` under the lock. If it throws, except for an invalid argument, every later call fails, too,
/// because NCCL does not check the result of every call.
template <typename Body>
auto GinGroup::guarded(Body body) {
  const std::lock_guard lock(mutex_);
  require_alive();
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) failure_ = error.what();
    throw;
  }
}

void GinGroup::require_alive() const {
  if (!failure_.empty()) throw Error(ErrorCode::kConnectionLost, "failed before: " + failure_);
}

GinGroup::GinGroup(std::shared_ptr<Transport> transport, int device, ListenComm& listener,
                   std::span<const ConnectHandle> handles, int rank)
    : transport_(std::move(transport)),
      rank_(static_cast<std::size_t>(rank)),
      windows_(GpuCopyStream::of_current_context()),
      scratch_(std::make_unique<Staging>(windows_.copy_stream())),
      links_(handles.size()) {
  connect(device, listener, handles);
}

GinGroup::~GinGroup() {
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
        link->left = true;  // a peer that left needs no goodbye
      }
      waits = true;
    }
  }
}

Window* GinGroup::add(void* data, std::size_t bytes, MemoryKind kind) {
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
  const std::int64_t deadline = now_ns() + kGroupTimeoutNs;
  Spinner spinner;
  for (bool waits = true; waits; spinner.step()) {
    waits = guarded([&] {
      step();
      const bool all_registered = is_registered(*window);
      if (!all_registered && now_ns() > deadline)
        throw Error(ErrorCode::kTimeout, "not all ranks registered their memory within 120 s");
      return !all_registered;
    });
  }
  return window;
}

/// True if all ranks have registered this window and know that this rank has.
/// @throws Error(kConnectionLost) if a rank has left without it
bool GinGroup::is_registered(const Window& window) const {
  for (std::size_t peer = 0; peer < links_.size(); ++peer) {
    const auto& link = links_[peer];
    if (link == nullptr) continue;
    const bool registered = link->peer_windows.contains(window.number);
    if (link->left && !registered)
      throw Error(ErrorCode::kConnectionLost, "rank " + std::to_string(peer) + " has left");
    if (!registered || !link->is_idle()) return false;
  }
  return true;
}

void GinGroup::remove(const Window* window) {
  const std::lock_guard lock(mutex_);
  windows_.remove(window);
}

GinOperation* GinGroup::take() {
  if (free_.empty()) {
    operations_.emplace_back();
    free_.push_back(&operations_.back());
  }
  GinOperation* operation = free_.back();
  free_.pop_back();
  operation->done = false;
  return operation;
}

void GinGroup::put_to_self(const Put& put) {
  if (put.bytes != 0)
    windows_.copy(*put.target, put.target_offset, *put.source, put.source_offset, put.bytes);
  if (put.signal != nullptr)
    windows_.add_to_word(*put.signal, put.signal_offset, put.signal_value, scratch_->word());
  windows_.finish();
}

PeerLink* GinGroup::link_to(std::uint32_t rank) {
  require(rank < links_.size(), "there is no rank " + std::to_string(rank));
  PeerLink* link = links_[rank].get();
  if (link != nullptr && link->left)
    throw Error(ErrorCode::kConnectionLost, "rank " + std::to_string(rank) + " has left");
  return link;
}

/// Returns the size in bytes of the peer's window. It differs between ranks only if the user made a mistake,
/// which must be reported at this rank and not at the peer.
/// @param link connection to the peer; nullptr for this rank itself
std::uint64_t GinGroup::size_at(const PeerLink* link, const Window& window) {
  return link == nullptr ? std::uint64_t{window.bytes} : link->peer_windows.at(window.number);
}

GinOperation* GinGroup::put(const Put& put) {
  return guarded([&] {
    PeerLink* link = link_to(put.rank);
    if (put.bytes != 0) {
      require(put.source != nullptr && put.target != nullptr, "a put of data names no window");
      require(covers(put.source->bytes, put.source_offset, put.bytes), "a put reads outside of its window");
      require(covers(size_at(link, *put.target), put.target_offset, put.bytes),
              "a put writes outside of the window of rank " + std::to_string(put.rank));
    }
    if (put.signal != nullptr)
      require(put.signal_offset % 8 == 0 && covers(size_at(link, *put.signal), put.signal_offset, 8),
              "a signal lies outside of its window");
    GinOperation* operation = take();
    if (link == nullptr) {
      put_to_self(put);
      operation->done = true;
      return operation;
    }
    Outgoing outgoing;
    outgoing.frame.kind = FrameKind::kPut;
    outgoing.left = put.bytes;
    outgoing.operation = operation;
    if (put.bytes != 0) {
      outgoing.source = put.source->number;
      outgoing.source_offset = put.source_offset;
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

GinOperation* GinGroup::get(const GinTransfer& get) {
  return guarded([&] {
    PeerLink* link = link_to(get.rank);
    require(get.source != nullptr && get.target != nullptr, "a get names no window");
    require(covers(size_at(link, *get.source), get.source_offset, get.bytes),
            "a get reads outside of the window of rank " + std::to_string(get.rank));
    require(covers(get.target->bytes, get.target_offset, get.bytes), "a get writes outside of its window");
    GinOperation* operation = take();
    if (link == nullptr) {
      put_to_self({get});
      operation->done = true;
      return operation;
    }
    Outgoing outgoing;
    outgoing.frame.kind = FrameKind::kGet;
    outgoing.frame.window = get.source->number;
    outgoing.frame.offset = get.source_offset;
    outgoing.frame.wanted = get.bytes;
    outgoing.frame.signal_window = get.target->number;
    outgoing.frame.signal_offset = get.target_offset;
    link->gets.push_back(operation);
    link->queue(outgoing);
    link->send(windows_);
    return operation;
  });
}

GinOperation* GinGroup::flush() {
  return guarded([&] {
    GinOperation* operation = take();
    operation->done = true;
    return operation;
  });
}

bool GinGroup::test(GinOperation* operation) {
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

void GinGroup::progress() {
  guarded([&] { step(); });
}

bool GinGroup::has_failed() {
  const std::lock_guard lock(mutex_);
  return !failure_.empty();
}

void GinGroup::step() {
  for (std::size_t peer = 0; peer < links_.size(); ++peer) {
    PeerLink* link = links_[peer].get();
    if (link == nullptr) continue;
    if (!link->left) exchange(*link);
    if (link->left && (!link->is_idle() || !link->gets.empty()))
      throw Error(ErrorCode::kConnectionLost,
                  "rank " + std::to_string(peer) + " left while puts to it or gets from it were under way");
  }
}

void GinGroup::exchange(PeerLink& link) {
  link.send(windows_);
  link.receive(windows_, [&](const Frame& frame, const std::byte* payload) { apply(link, frame, payload); });
}

/// Queues the answer to a peer's get. This rank's data is read only when the answer is sent, hence after all
/// puts that arrived before the get.
/// @param question message with the get
void GinGroup::answer(PeerLink& link, const Frame& question) {
  Outgoing outgoing;
  outgoing.frame.kind = FrameKind::kAnswer;
  outgoing.frame.signals = 1;
  outgoing.frame.window = question.signal_window;
  outgoing.frame.offset = question.signal_offset;
  outgoing.source = question.window;
  outgoing.source_offset = question.offset;
  outgoing.left = question.wanted;
  link.queue(outgoing);
}

void GinGroup::write(const Frame& frame, const std::byte* payload) {
  if (frame.bytes != 0)
    windows_.write(windows_.find(frame.window, frame.offset, frame.bytes), frame.offset, payload,
                   frame.bytes);
}

void GinGroup::apply(PeerLink& link, const Frame& frame, const std::byte* payload) {
  switch (frame.kind) {
    case FrameKind::kRegister:
      link.peer_windows[frame.window] = frame.offset;
      return;
    case FrameKind::kGoodbye:
      link.left = true;
      return;
    case FrameKind::kGet:
      answer(link, frame);
      return;
    case FrameKind::kAnswer:
      if (link.gets.empty()) throw Error(ErrorCode::kProtocol, "an answer arrived that nobody waits for");
      write(frame, payload);
      if (frame.signals == 0) return;
      windows_.finish();
      link.gets.front()->done = true;
      link.gets.pop_front();
      return;
    case FrameKind::kPut:
      write(frame, payload);
      if (frame.signals != 0)
        windows_.add_to_word(windows_.find(frame.signal_window, frame.signal_offset, sizeof(std::uint64_t)),
                             frame.signal_offset, frame.signal_value, scratch_->word());
      return;
    default:
      throw Error(ErrorCode::kProtocol, "a frame of an unknown kind arrived");
  }
}

}  // namespace collbench::net_plugin::gin
