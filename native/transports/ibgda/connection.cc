#include "transports/ibgda/connection.h"

#include <sys/mman.h>

#include <cerrno>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench::ibgda {

SharedPages::SharedPages(const IbgdaDevice& device, std::size_t bytes) : bytes_(bytes) {
  void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (at == MAP_FAILED)
    throw system_error(ErrorCode::kUnavailable, "ibgda: no memory for a connection", errno);
  data_ = static_cast<std::byte*>(at);
  try {
    registration_ = device.register_memory(data_, bytes_);
  } catch (...) {
    munmap(data_, bytes_);
    throw;
  }
}

SharedPages::~SharedPages() {
  registration_.reset();
  munmap(data_, bytes_);
}

std::uint64_t read_flag(const std::uint64_t& word) noexcept {
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(word)).load(std::memory_order_acquire);
}

IbgdaConnection::IbgdaConnection(std::shared_ptr<const IbgdaDevice> device, std::size_t bytes)
    : device_(std::move(device)), pages_(*device_, bytes), initiator_(std::make_unique<Queue>(device_)) {}

EndpointAddress IbgdaConnection::end() const {
  EndpointAddress end;
  end.key = pages_.registration().remote_key();
  end.memory = reinterpret_cast<std::uintptr_t>(pages_.data());
  end.queue = const_cast<IbgdaConnection*>(this)->initiator_.queue().address();
  return end;
}

void IbgdaConnection::connect(const EndpointAddress& peer) {
  if (peer.magic != kMagic)
    throw Error(ErrorCode::kProtocol,
                "ibgda: the peer's connect handle is none of this transport and version");
  initiator_.connect(peer.queue);
  peer_ = peer;
}

std::uint32_t IbgdaConnection::put_word(std::size_t offset, std::uint64_t word, bool completes) {
  return initiator_.write_inline(peer_address(offset), peer_.key, &word, sizeof word, completes);
}

void IbgdaConnection::check_peer() {
  constexpr std::int64_t kEveryNs = 100'000'000;
  const std::int64_t now = now_ns();
  if (now < next_check_ns_) return;
  const bool is_first = next_check_ns_ == 0;
  next_check_ns_ = now + kEveryNs;
  if (is_first || !initiator_.has_completed(probe_end_) || !initiator_.has_room(1)) return;
  // A write without bytes would test less: the adapter checks no key for it, and a DC target outlives its
  // connections.
  probe_end_ = put_word(offsetof(SenderMemory, probed), 1, true);
  initiator_.ring();
}

void IbgdaConnection::close(std::size_t offset) noexcept {
  constexpr std::int64_t kPatienceNs = 1'000'000'000;
  if (!is_connected()) return;
  try {
    const std::int64_t deadline = now_ns() + kPatienceNs;
    Spinner spinner(100);
    while (!initiator_.has_room(1) && now_ns() < deadline) spinner.step();
    if (!initiator_.has_room(1)) return;
    const std::uint32_t end = put_word(offset, 1, true);
    initiator_.ring();
    for (initiator_.poll(); !initiator_.has_completed(end) && now_ns() < deadline; initiator_.poll())
      spinner.step();
  } catch (const Error&) {
    // The peer has disconnected already, so it needs no notice.
  }
}

}  // namespace collbench::ibgda
