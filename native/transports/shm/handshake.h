#pragma once
// How a connection comes about: the listener waits at a name of its own; the connector proves that it knows
// the run's token; the listener tries to read its memory, makes the channel and sends it with its own proof.
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "transports/shm/end.h"
#include "transports/transport.h"

namespace collbench::shm {

/// What all connections of a transport share.
struct Terms {
  std::string token;
  bool may_copy_once = true;
  bool sleeps = true;
  MakeTally make_tally;
};

class ShmListenComm final : public ListenComm {
 public:
  /// @throws Error(kUnavailable)
  explicit ShmListenComm(Terms terms);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct Visitor {
    softcard::Fd line;
    pid_t process = 0;
    std::unique_ptr<softcard::SharedMemory> memory;  // once answered
    Way way = Way::kTwoCopies;
    bool sleeps = true;
  };
  enum class Step : std::uint8_t { kWaits, kConnected, kGone };
  Step advance(Visitor& visitor);
  bool answer(Visitor& visitor, const Hello& hello);

  Terms terms_;
  Handle own_;
  ConnectHandle handle_{};
  softcard::Fd listener_;
  std::list<Visitor> visitors_;
};

class ShmConnecting final : public Connecting {
 public:
  /// @throws Error(kProtocol) when the handle is none of this transport and version; kConnectionLost
  ShmConnecting(Terms terms, const ConnectHandle& handle);
  std::unique_ptr<SendComm> poll() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  Terms terms_;
  Handle peer_;
  std::uint64_t proof_;
  softcard::Fd line_;
  pid_t process_ = 0;
};

}  // namespace collbench::shm
