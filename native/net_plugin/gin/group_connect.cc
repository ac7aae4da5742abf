// Connection set-up of a group: each rank connects to each other one and sends its rank number.
#include <list>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"
#include "net_plugin/gin/group.h"

namespace collbench::net_plugin::gin {

/// An accepted connection that is not attached to a PeerLink yet: its first message, which names the peer's
/// rank, has not arrived, or this rank has not connected to that peer.
struct GinGroup::UnidentifiedPeer {
  std::unique_ptr<RecvComm> comm;
  Request* request = nullptr;
  Frame hello{};
  bool heard = false;
};

void GinGroup::connect(int device, ListenComm& listener, std::span<const ConnectHandle> handles) {
  std::vector<std::unique_ptr<Connecting>> connecting(handles.size());
  std::list<UnidentifiedPeer> unidentified;
  const std::int64_t deadline = now_ns() + kGroupTimeoutNs;
  Spinner spinner;
  for (std::size_t open = 1; open != 0; spinner.step()) {
    open = 0;
    for (std::size_t peer = 0; peer < links_.size(); ++peer) {
      auto& link = links_[peer];
      if (peer == rank_) continue;
      if (link == nullptr) {
        if (connecting[peer] == nullptr) connecting[peer] = transport_->connect(device, handles[peer]);
        if (auto comm = connecting[peer]->poll()) {
          link = std::make_unique<PeerLink>(std::move(comm), windows_.copy_stream());
          Outgoing hello;
          hello.frame.kind = FrameKind::kHello;
          hello.frame.offset = rank_;
          link->queue(hello);
        }
      }
      if (link != nullptr) link->send(windows_);
      if (link == nullptr || !link->is_attached() || !link->is_idle()) ++open;
    }
    if (auto comm = listener.accept()) unidentified.emplace_back().comm = std::move(comm);
    for (auto unidentified_peer = unidentified.begin(); unidentified_peer != unidentified.end();) {
      const ReceiveBuffer buffer{&unidentified_peer->hello, sizeof unidentified_peer->hello, 0, nullptr};
      if (unidentified_peer->request == nullptr)
        unidentified_peer->request = unidentified_peer->comm->irecv({&buffer, 1});
      if (!unidentified_peer->heard && unidentified_peer->request != nullptr)
        unidentified_peer->heard = unidentified_peer->comm->test(unidentified_peer->request, nullptr);
      if (!unidentified_peer->heard) {
        ++unidentified_peer;
        continue;
      }
      const std::uint64_t peer = unidentified_peer->hello.offset;
      if (unidentified_peer->hello.kind != FrameKind::kHello || peer >= links_.size() || peer == rank_)
        throw Error(ErrorCode::kProtocol, "a connection began with something else than a rank");
      // the peer reached us first: attach its connection once ours to it is made
      if (links_[peer] == nullptr) {
        ++unidentified_peer;
        continue;
      }
      if (links_[peer]->is_attached())
        throw Error(ErrorCode::kProtocol, "rank " + std::to_string(peer) + " connected twice");
      links_[peer]->attach(std::move(unidentified_peer->comm), windows_.copy_stream());
      unidentified_peer = unidentified.erase(unidentified_peer);
    }
    if (open != 0 && now_ns() > deadline)
      throw Error(ErrorCode::kTimeout, std::to_string(open) + " of " + std::to_string(links_.size() - 1) +
                                           " ranks did not connect within 120 s");
  }
}

}  // namespace collbench::net_plugin::gin
