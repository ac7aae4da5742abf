#pragma once
// Helpers of this transport's tests: connected pairs in one thread, filled buffers, driven requests.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "doctest/doctest.h"
#include "transports/socket/transport.h"

namespace collbench::socket_tests {

inline constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

inline TransportOptions options_with(int streams = 1, const std::string& interface_name = "lo") {
  TransportOptions options;
  options.token = kToken;
  options.streams = streams;
  options.interface_name = interface_name;
  return options;
}

/// One direction: what `out` sends arrives at `in`.
struct Channel {
  std::unique_ptr<SendComm> out;
  std::unique_ptr<RecvComm> in;
};

inline Channel finish(ListenComm& listener, Connecting& connecting) {
  Channel channel;
  Spinner spinner(0);
  while (!channel.in || !channel.out) {
    if (!channel.out) channel.out = connecting.poll();
    if (!channel.in) channel.in = listener.accept();
    spinner.step();
  }
  return channel;
}

inline Channel connect_channel(Transport& from, Transport& to) {
  auto listener = to.listen(0);
  auto connecting = from.connect(0, listener->handle());
  return finish(*listener, *connecting);
}

inline std::vector<std::uint8_t> pattern(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::uint8_t> data(bytes);
  std::uint32_t x = seed * 2654435761U + 1;
  for (std::uint8_t& byte : data) {
    x = x * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(x >> 24);
  }
  return data;
}

inline Request* post(RecvComm& comm, void* data, std::size_t bytes, int tag = 0) {
  const ReceiveBuffer buffer{data, bytes, tag, nullptr};
  return comm.irecv({&buffer, 1});
}

/// Drives one message until both ends are done; returns the size that the receiver got.
inline std::size_t transfer(Channel& channel, const std::vector<std::uint8_t>& data,
                            std::vector<std::uint8_t>& into) {
  Request* in = post(*channel.in, into.data(), into.size());
  Request* out = channel.out->isend(data.data(), data.size(), 0, nullptr);
  std::size_t received = SIZE_MAX;
  Spinner spinner(0);
  while (in != nullptr || out != nullptr) {
    if (out != nullptr && channel.out->test(out)) out = nullptr;
    if (in != nullptr && channel.in->test(in, &received)) in = nullptr;
    spinner.step();
  }
  return received;
}

/// Repeats `action` until it throws Error and returns the error. It must not CHECK inside: doctest would
/// catch the exception.
template <typename Action>
Error error_of(Action action) {
  Spinner spinner(0);
  for (;;) {
    try {
      action();
    } catch (const Error& error) {
      return error;
    }
    spinner.step();
  }
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace collbench::socket_tests
