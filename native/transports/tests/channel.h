#pragma once
// Connected pairs of any transport for tests. One thread drives both ends, so tests control the order.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "doctest/doctest.h"
#include "transports/registry.h"

namespace collbench::transport_tests {

inline std::string fresh_token() {
  static int count = 0;
  char token[33];
  std::snprintf(token, sizeof token, "%016lx%016x", static_cast<unsigned long>(getpid()),
                static_cast<unsigned>(++count));
  return token;
}

/// One direction: what `out` sends arrives at `in`.
struct Channel {
  std::unique_ptr<Transport> from, to;
  std::unique_ptr<SendComm> out;
  std::unique_ptr<RecvComm> in;
};

inline void finish(Channel& channel, ListenComm& listener, Connecting& connecting) {
  while (!channel.out || !channel.in) {
    if (!channel.out) channel.out = connecting.poll();
    if (!channel.in) channel.in = listener.accept();
    yield_core();
  }
}

using Maker = std::unique_ptr<Transport> (*)(const TransportOptions&);

inline Channel connect_pair(Maker make, TransportOptions options) {
  Channel channel;
  options.ranks = 2;
  channel.from = make(options);
  options.rank = 1;
  channel.to = make(options);
  auto listener = channel.to->listen(0);
  auto connecting = channel.from->connect(0, listener->handle());
  finish(channel, *listener, *connecting);
  return channel;
}

inline std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::uint8_t> data(bytes);
  std::uint64_t x = seed * 2 + 1;
  for (auto& byte : data) {
    x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<std::uint8_t>(x >> 56);
  }
  return data;
}

inline Request* post(RecvComm& comm, void* data, std::size_t bytes, MemoryRegion* region = nullptr) {
  const ReceiveBuffer buffer{data, bytes, 0, region};
  return comm.irecv({&buffer, 1});
}

/// Drives one message until both ends are done; returns the size that the receiver got.
inline std::size_t drive(Channel& channel, Request* out, Request* in) {
  std::size_t received = SIZE_MAX;
  while (out != nullptr || in != nullptr) {
    if (out != nullptr && channel.out->test(out)) out = nullptr;
    if (in != nullptr && channel.in->test(in, &received)) in = nullptr;
    if (in != nullptr) yield_core();
  }
  return received;
}

/// Sends `data` into a buffer of `room` bytes, with or without registration; returns what arrived.
inline std::vector<std::uint8_t> transfer(Channel& channel, const std::vector<std::uint8_t>& data,
                                          std::size_t room, bool registered) {
  std::vector<std::uint8_t> into(room, 0xEE);
  // Registration covers whole pages and needs existing addresses, so empty messages are not registered.
  const bool with_region = registered && !data.empty() && room != 0;
  MemoryRegion* source = nullptr;
  MemoryRegion* target = nullptr;
  if (with_region) {
    source =
        channel.out->register_memory(const_cast<std::uint8_t*>(data.data()), data.size(), MemoryKind::kHost);
    target = channel.in->register_memory(into.data(), into.size(), MemoryKind::kHost);
  }
  Request* in = post(*channel.in, into.data(), into.size(), target);
  REQUIRE(in != nullptr);
  Request* out = nullptr;
  while ((out = channel.out->isend(data.data(), data.size(), 0, source)) == nullptr) yield_core();
  const std::size_t received = drive(channel, out, in);
  if (with_region) {
    channel.out->deregister_memory(source);
    channel.in->deregister_memory(target);
  }
  REQUIRE(received <= room);
  into.resize(received);
  return into;
}

/// Repeats `action` until it throws Error and returns the error; `action` must not CHECK.
template <typename Action>
Error error_of(Action action) {
  for (;;) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    yield_core();
  }
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace collbench::transport_tests
