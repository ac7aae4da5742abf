#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <thread>

#include "transports/socket/connection.h"
#include "transports/socket/tests/pair.h"
#include "transports/socket/wire.h"

using namespace collbench;
using namespace collbench::socket_tests;

TEST_CASE("messages of every size arrive unchanged, over one stream and several") {
  for (const int streams : {1, 2, 3, 8}) {
    CAPTURE(streams);
    const auto a = create_socket(options_with(streams)), b = create_socket(options_with(streams));
    Channel channel = connect_channel(*a, *b);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1008}, std::size_t{4080},
          std::size_t{4081}, std::size_t{4096}, std::size_t{65536}, std::size_t{262143}, std::size_t{262144},
          std::size_t{1048579}}) {
      CAPTURE(bytes);
      const auto data = pattern(bytes, static_cast<std::uint32_t>(bytes));
      std::vector<std::uint8_t> into(bytes, 0xee);
      CHECK(transfer(channel, data, into) == bytes);
      CHECK(into == data);
    }
  }
}

TEST_CASE("the parts of a striped message cover it exactly, for every number of streams") {
  for (int streams = 1; streams <= socket::kMaxStreams; ++streams)
    for (const std::size_t bytes : {socket::kStripeBytes - 1, socket::kStripeBytes, socket::kStripeBytes + 1,
                                    std::size_t{3} * 4096 * 100, std::size_t{(1 << 24) + 5}}) {
      std::size_t next = 0;
      for (int i = 0; i < streams; ++i) {
        const auto part = socket::stream_part(bytes, i, streams);
        if (part.bytes == 0) continue;
        CHECK(part.offset == next);
        next += part.bytes;
      }
      CHECK(next == bytes);
    }
}

TEST_CASE("a message smaller than its buffer tells its size and leaves the rest of the buffer alone") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  Channel channel = connect_channel(*a, *b);
  for (const std::size_t capacity : {std::size_t{100}, std::size_t{1} << 20}) {
    const auto data = pattern(33, 7);
    std::vector<std::uint8_t> into(capacity, 0xee);
    CHECK(transfer(channel, data, into) == 33);
    CHECK(std::equal(data.begin(), data.end(), into.begin()));
    CHECK(std::all_of(into.begin() + 33, into.end(), [](std::uint8_t byte) { return byte == 0xee; }));
  }
}

TEST_CASE(
    "a thousand messages of mixed sizes in flight match in order; beyond the limit isend and irecv say not "
    "now") {
  for (const int streams : {1, 4}) {
    const auto a = create_socket(options_with(streams)), b = create_socket(options_with(streams));
    Channel channel = connect_channel(*a, *b);
    const auto size_of_message = [](int i) {
      return static_cast<std::size_t>(i % 50 == 0 ? 300'000 : i * 37 % 5000);
    };
    constexpr int kMessages = 1000;
    std::vector<std::vector<std::uint8_t>> sent, received;
    for (int i = 0; i < kMessages; ++i) {
      sent.push_back(pattern(size_of_message(i), static_cast<std::uint32_t>(i)));
      received.emplace_back(size_of_message(i), 0xee);
    }
    std::deque<Request*> out, in;
    int sends = 0, receives = 0;
    bool send_was_full = false, receive_was_full = false;
    while (sends < kMessages || receives < kMessages || !out.empty() || !in.empty()) {
      while (sends < kMessages) {
        const auto& data = sent[static_cast<std::size_t>(sends)];
        Request* request = channel.out->isend(data.data(), data.size(), sends, nullptr);
        send_was_full = send_was_full || request == nullptr;
        if (request == nullptr) break;
        out.push_back(request);
        ++sends;
      }
      while (receives < kMessages) {
        auto& data = received[static_cast<std::size_t>(receives)];
        Request* request = post(*channel.in, data.data(), data.size(), receives);
        receive_was_full = receive_was_full || request == nullptr;
        if (request == nullptr) break;
        in.push_back(request);
        ++receives;
      }
      while (!out.empty() && channel.out->test(out.front())) out.pop_front();
      std::size_t bytes = 0;
      while (!in.empty() && channel.in->test(in.front(), &bytes)) in.pop_front();
    }
    CHECK(send_was_full);
    CHECK(receive_was_full);
    CHECK(received == sent);
    CHECK(a->counters().messages_sent == kMessages);
    CHECK(b->counters().messages_received == kMessages);
    CHECK(a->counters().bytes_sent == b->counters().bytes_received);
  }
}

TEST_CASE("testing the last request alone completes those before it") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  Channel channel = connect_channel(*a, *b);
  const auto data = pattern(100'000, 3);
  std::vector<std::vector<std::uint8_t>> into(5, std::vector<std::uint8_t>(data.size()));
  std::vector<Request*> in, out;
  for (auto& buffer : into) {
    in.push_back(post(*channel.in, buffer.data(), buffer.size()));
    out.push_back(channel.out->isend(data.data(), data.size(), 0, nullptr));
  }
  bool sent = false, received = false;
  while (!sent || !received) {
    sent = sent || channel.out->test(out.back());
    received = received || channel.in->test(in.back(), nullptr);
  }
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    CHECK(channel.out->test(out[i]));
    CHECK(channel.in->test(in[i], nullptr));
  }
  for (const auto& buffer : into) CHECK(buffer == data);
}

TEST_CASE("a flood in both directions, far beyond what the kernel buffers, does not deadlock in one thread") {
  for (const int streams : {1, 4}) {
    const auto a = create_socket(options_with(streams)), b = create_socket(options_with(streams));
    Channel there = connect_channel(*a, *b), back = connect_channel(*b, *a);
    const auto data = pattern(std::size_t{24} << 20, 11), answer = pattern(std::size_t{24} << 20, 12);
    std::vector<std::uint8_t> into(data.size()), answer_into(answer.size());
    Request* out[] = {there.out->isend(data.data(), data.size(), 0, nullptr),
                      back.out->isend(answer.data(), answer.size(), 0, nullptr)};
    Request* in[] = {post(*there.in, into.data(), into.size()),
                     post(*back.in, answer_into.data(), answer_into.size())};
    Channel* channels[] = {&there, &back};
    for (int open = 4; open > 0;)
      for (int i = 0; i < 2; ++i) {
        if (out[i] != nullptr && channels[i]->out->test(out[i])) out[i] = nullptr, --open;
        if (in[i] != nullptr && channels[i]->in->test(in[i], nullptr)) in[i] = nullptr, --open;
      }
    CHECK(into == data);
    CHECK(answer_into == answer);
  }
}

TEST_CASE("one rank exchanges with three peers in turn, one transport for all its connections") {
  const auto hub = create_socket(options_with());
  std::vector<std::unique_ptr<Transport>> peers;
  std::vector<Channel> to_peer, from_peer;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(create_socket(options_with()));
    to_peer.push_back(connect_channel(*hub, *peers.back()));
    from_peer.push_back(connect_channel(*peers.back(), *hub));
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto question = pattern(5000 + i, i), answer = pattern(700'000 + i, 100 + i);
    std::vector<std::uint8_t> question_into(question.size()), answer_into(answer.size());
    transfer(to_peer[i], question, question_into);
    transfer(from_peer[i], answer, answer_into);
    CHECK(question_into == question);
    CHECK(answer_into == answer);
  }
  CHECK(hub->counters().messages_sent == 3);
  CHECK(hub->counters().messages_received == 3);
  CHECK(hub->counters().bytes_received == 3 * 700'000 + 0 + 1 + 2);
}

TEST_CASE("two threads exchange, each with its own transport") {
  const auto a = create_socket(options_with(2)), b = create_socket(options_with(2));
  Channel there = connect_channel(*a, *b), back = connect_channel(*b, *a);
  const auto data = pattern(400'000, 5);
  std::vector<std::uint8_t> into(data.size()), answer_into(data.size());
  const auto side = [&](SendComm& out, RecvComm& in, std::vector<std::uint8_t>& buffer) {
    Spinner spinner(0);
    for (int round = 0; round < 50; ++round) {
      Request* receive = post(in, buffer.data(), buffer.size());
      Request* send = out.isend(data.data(), data.size(), 0, nullptr);
      while (receive != nullptr || send != nullptr) {
        if (send != nullptr && out.test(send)) send = nullptr;
        if (receive != nullptr && in.test(receive, nullptr)) receive = nullptr;
        spinner.step();
      }
    }
  };
  std::thread other([&] { side(*back.out, *there.in, into); });
  side(*there.out, *back.in, answer_into);
  other.join();
  CHECK(into == data);
  CHECK(answer_into == data);
}

TEST_CASE("two processes exchange over handles passed by pipe") {
  int to_child[2], to_parent[2];
  REQUIRE(pipe(to_child) == 0);
  REQUIRE(pipe(to_parent) == 0);
  const auto data = pattern(3'000'001, 21);
  const pid_t child = fork();
  const bool is_child = child == 0;
  const int read_fd = is_child ? to_child[0] : to_parent[0], write_fd = is_child ? to_parent[1] : to_child[1];
  const auto run = [&] {
    const auto transport = create_socket(options_with(2));
    auto listener = transport->listen(0);
    ConnectHandle theirs;
    if (write(write_fd, listener->handle().data(), theirs.size()) != 128) return false;
    if (read(read_fd, theirs.data(), theirs.size()) != 128) return false;
    auto connecting = transport->connect(0, theirs);
    Channel channel = finish(*listener, *connecting);  // `out` is ours, `in` is the peer's
    std::vector<std::uint8_t> into(data.size());
    return transfer(channel, data, into) == data.size() && into == data;
  };
  if (is_child) _exit(run() ? 0 : 1);
  CHECK(run());
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  for (const int fd : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) close(fd);
}

TEST_CASE("what cannot be received is an error that tells both numbers") {
  const auto a = create_socket(options_with()), b = create_socket(options_with());
  std::vector<std::uint8_t> data(100), into(50);
  SUBCASE("larger than the buffer") {
    Channel channel = connect_channel(*a, *b);
    Request* in = post(*channel.in, into.data(), into.size());
    channel.out->isend(data.data(), data.size(), 0, nullptr);
    const Error error = error_of([&] { channel.in->test(in, nullptr); });
    CHECK(error.code() == ErrorCode::kProtocol);
    CHECK(contains(error.what(), "sent 100 bytes where 50 were expected"));
  }
  SUBCASE("another tag") {
    Channel channel = connect_channel(*a, *b);
    Request* in = post(*channel.in, into.data(), into.size(), 4);
    channel.out->isend(data.data(), 50, 5, nullptr);
    const Error error = error_of([&] { channel.in->test(in, nullptr); });
    CHECK(error.code() == ErrorCode::kProtocol);
    CHECK(contains(error.what(), "tag 5 where tag 4"));
  }
  SUBCASE("several buffers in one receive, and GPU memory") {
    Channel channel = connect_channel(*a, *b);
    const ReceiveBuffer two[] = {{into.data(), 10, 0, nullptr}, {into.data() + 10, 10, 0, nullptr}};
    CHECK_THROWS_AS(channel.in->irecv(two), Error);
    CHECK_THROWS_AS(channel.in->register_memory(into.data(), into.size(), MemoryKind::kCuda), Error);
    CHECK_THROWS_AS(channel.out->register_memory(into.data(), into.size(), MemoryKind::kCuda), Error);
    CHECK(channel.out->register_memory(into.data(), into.size(), MemoryKind::kHost) == nullptr);
  }
}
