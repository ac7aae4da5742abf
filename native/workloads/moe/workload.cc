// Workload of a layer with experts: dispatch sends every token to the ranks of its experts, combine sends the
// experts' outputs back and adds them up. Axes: phase (dispatch, combine, pair), routing and capacity (names;
// the script of the request has the counts), dtype of dispatched tokens (bfloat16; float8e4m3 with a float32
// scale per 128 elements), experts, topK, hidden (elements of a token), tokens (of each rank), busiestBytes,
// sentBytes and rowsBytes (of a routing from a file, for analysis; else null). Combined data are bfloat16.
// Steps:
//   packing     token rows are copied into the send buffer by expert, those for own experts to the receive
//               buffer
//   counting    ranks tell each other how many tokens follow for each expert
//   dispatching rows are sent, one message per pair of ranks
//   returning   outputs are sent back; experts take no time, their outputs lie ready
//   combining   each token's outputs are added up with their weights, in float32
// On a device all steps are queued, and only the whole is timed. Ranks know the lengths of messages from the
// routing; the announced counts are compared with it by verify().
#include "workloads/workload.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "engines/engine.h"
#include "workloads/host_view.h"
#include "workloads/moe/check.h"
#include "workloads/moe/kernels.h"
#include "workloads/moe/routing.h"

namespace collbench {
namespace moe {
namespace {

constexpr Ability kNeeds[] = {Ability::kMessages, Ability::kComputations};
constexpr std::string_view kAxes[] = {"phase",  "routing", "capacity",     "dtype",     "experts",  "topK",
                                      "hidden", "tokens",  "busiestBytes", "sentBytes", "rowsBytes"};
constexpr std::string_view kPhases[] = {"dispatch", "combine", "pair"};
constexpr std::string_view kTypes[] = {"bfloat16", "float8e4m3"};
constexpr std::size_t kScaledElements = 128;
constexpr std::size_t kAlignment = 128;
constexpr std::byte kPoison{0xA5};

struct MoeOptions {
  bool dispatches = false, combines = false;
  std::size_t row_bytes = 0;  // Length of a dispatched token.
  int experts = 0, top_k = 0, tokens = 0;
  std::size_t hidden = 0;
};

MoeOptions options_of(const Axes& axes) {
  MoeOptions options;
  const int phase = axes.choice("phase", kPhases);
  options.dispatches = phase != 1;
  options.combines = phase != 0;
  static_cast<void>(axes.word("routing"));
  static_cast<void>(axes.word("capacity"));
  options.experts = static_cast<int>(axes.whole("experts", 1, 4096));
  options.top_k = static_cast<int>(axes.whole("topK", 1, options.experts));
  options.hidden = static_cast<std::size_t>(axes.whole("hidden", 8, 1 << 20));
  options.tokens = static_cast<int>(axes.whole("tokens", 1, 1 << 20));
  if (options.hidden % 8 != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "axis hidden must be a multiple of 8, got " + std::to_string(options.hidden));
  const bool is_scaled = axes.choice("dtype", kTypes) == 1;
  const std::size_t scales = (options.hidden + kScaledElements - 1) / kScaledElements;
  options.row_bytes = is_scaled ? options.hidden + scales * sizeof(float) : 2 * options.hidden;
  return options;
}

constexpr std::size_t aligned(std::size_t bytes) noexcept {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Ranges of a buffer behind each other, each aligned.
class Ranges {
 public:
  /// Appends a range. @returns its offset
  std::size_t add(std::size_t bytes) noexcept {
    const std::size_t offset = length_;
    length_ += aligned(bytes);
    return offset;
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

 private:
  std::size_t length_ = 0;
};

/// Places in the send and receive buffer of a rank, in bytes.
struct Layout {
  // Send buffer: what is sent, then what only this rank reads and writes.
  std::size_t counts = 0, rows = 0, outputs = 0;
  std::size_t tokens = 0, token_of_row = 0, row_places = 0;
  std::size_t first_of_token = 0, output_places = 0, weights = 0, combined = 0;
  std::size_t send_length = 0;
  // Receive buffer.
  std::size_t announced = 0, arrived = 0, returned = 0;
  std::size_t receive_length = 0;
};

/// Returns the places for `sent` rows that a rank sends and `received` rows that its experts receive.
Layout layout_of(const MoeOptions& options, const Routing& routing, std::size_t sent, std::size_t received) {
  const auto experts_per_rank = static_cast<std::size_t>(routing.experts_per_rank());
  const auto experts = static_cast<std::size_t>(options.experts);
  const auto tokens = static_cast<std::size_t>(options.tokens);
  const std::size_t out = options.dispatches ? 1 : 0, back = options.combines ? 1 : 0;
  Layout layout;
  Ranges send, receive;
  layout.counts = send.add(experts * sizeof(std::uint32_t));
  layout.rows = send.add(out * sent * options.row_bytes);
  layout.outputs = send.add(back * received * 2 * options.hidden);
  layout.tokens = send.add(out * tokens * options.row_bytes);
  layout.token_of_row = send.add(out * sent * sizeof(unsigned));
  layout.row_places = send.add(out * sent * sizeof(unsigned long long));
  layout.first_of_token = send.add(back * (tokens + 1) * sizeof(unsigned));
  layout.output_places = send.add(back * sent * sizeof(unsigned long long));
  layout.weights = send.add(back * sent * sizeof(float));
  layout.combined = send.add(back * tokens * 2 * options.hidden);
  layout.send_length = send.length();
  layout.announced =
      receive.add(experts_per_rank * sizeof(std::uint32_t) * static_cast<std::size_t>(routing.ranks()));
  layout.arrived = receive.add(out * received * options.row_bytes);
  layout.returned = receive.add(back * sent * 2 * options.hidden);
  layout.receive_length = receive.length();
  return layout;
}

class Moe final : public Workload {
 public:
  Moe(const WorkloadContext& context, const MoeOptions& options, Routing routing)
      : engine_(context.engine),
        options_(options),
        routing_(std::move(routing)),
        rank_(context.rank),
        rows_(routing_.rows_of(rank_)),
        arrivals_(arrivals_of(routing_, rank_)),
        data_{context.seed, context.iteration},
        layout_(layout()) {
    engine_.connect_all();
    send_ = static_cast<std::byte*>(engine_.buffer(0, layout_.send_length));
    recv_ = static_cast<std::byte*>(engine_.buffer(1, layout_.receive_length));
    inputs_ = HostView(engine_, send_, layout_.send_length);
    received_ = HostView(engine_, recv_, layout_.receive_length);
    combined_ = HostView(engine_, send_ + layout_.combined, combined_bytes());
    plan_messages();
    plan_packing();
    plan_combining();
    fill(context.iteration);
  }

  void prepare(std::uint64_t iteration, std::uint32_t, std::uint32_t) override { fill(iteration); }

  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n) {
      steps_.clear();
      const std::int64_t began = now_ns();
      if (options_.dispatches) dispatch();
      if (options_.combines) combine();
      steps_["total"] = now_ns() - began;
    }
  }

  void wait() override { engine_.synchronize(); }
  [[nodiscard]] bool queues() const override { return engine_.on_device(); }
  DeviceTimeline* timeline() override { return engine_.timeline(); }

  Verification verify(std::uint64_t /*iteration*/) override {
    Verification all;
    if (options_.dispatches) {
      received_.download();
      const std::byte* const data = received_.data();
      add_part(all, check_counts(routing_, rank_,
                                 reinterpret_cast<const std::uint32_t*>(data + layout_.announced)));
      add_part(all,
               check_rows(data_, arrivals_, options_.tokens, data + layout_.arrived, options_.row_bytes));
    }
    if (options_.combines) {
      combined_.download();
      add_part(all, check_outputs(data_, routing_, rank_,
                                  reinterpret_cast<const std::uint16_t*>(combined_.data()), options_.hidden));
    }
    return all;
  }

  void take_columns(OperationColumns& columns) override {
    if (engine_.on_device()) return;
    for (const auto& [name, ns] : steps_) columns[name].push_back(ns);
  }

 private:
  using Direction = PeerMessage::Direction;

  [[nodiscard]] std::size_t output_bytes() const noexcept { return 2 * options_.hidden; }
  [[nodiscard]] std::size_t counts_bytes() const noexcept {
    return static_cast<std::size_t>(routing_.experts_per_rank()) * sizeof(std::uint32_t);
  }
  [[nodiscard]] std::size_t combined_bytes() const noexcept {
    return options_.combines ? static_cast<std::size_t>(options_.tokens) * output_bytes() : 0;
  }

  /// Returns the layout of this rank's buffers. An engine with equal buffers gets the same on all ranks.
  [[nodiscard]] Layout layout() const {
    std::size_t sent = rows_.size(), received = arrivals_.size();
    for (int rank = 0; engine_.equal_buffers() && rank < routing_.ranks(); ++rank) {
      sent = std::max(sent, routing_.rows_sent(rank));
      received = std::max(received, routing_.rows_received(rank));
    }
    return layout_of(options_, routing_, sent, received);
  }

  /// Returns the number of rows that `rank` sends to experts of ranks before `peer`.
  [[nodiscard]] std::size_t sent_before(int rank, int peer) const noexcept {
    std::size_t sum = 0;
    for (int other = 0; other < peer; ++other) sum += routing_.rows(rank, other);
    return sum;
  }
  /// Returns the number of rows that experts of `rank` receive from ranks before `peer`.
  [[nodiscard]] std::size_t received_before(int rank, int peer) const noexcept {
    std::size_t sum = 0;
    for (int other = 0; other < peer; ++other) sum += routing_.rows(other, rank);
    return sum;
  }

  void plan_messages() {
    const auto one = [](int, int) { return std::size_t{1}; };
    const auto index = [](int, int peer) { return static_cast<std::size_t>(peer); };
    const auto rows = [this](int rank, int peer) { return routing_.rows(rank, peer); };
    const auto rows_back = [this](int rank, int peer) { return routing_.rows(peer, rank); };
    const auto before = [this](int rank, int peer) { return sent_before(rank, peer); };
    const auto before_back = [this](int rank, int peer) { return received_before(rank, peer); };
    count_messages_ = exchange(layout_.counts, layout_.announced, counts_bytes(), one, index, index);
    row_messages_ = exchange(layout_.rows, layout_.arrived, options_.row_bytes, rows, before, before_back);
    output_messages_ =
        exchange(layout_.outputs, layout_.returned, output_bytes(), rows_back, before_back, before);
  }

  /// Returns the messages with which all ranks send each other rows, in the order of the ranks in both
  /// buffers. Each rank begins with another peer, as in alltoallv. Pairs without rows exchange no message.
  /// @param send offset of the rows in the send buffer  @param receive offset in the receive buffer
  /// @param sent (rank, peer): number of rows that the rank sends to the peer
  /// @param offset (rank, peer): number of rows that lie before those for the peer in the rank's send buffer
  /// @param landing (rank, peer): number of rows that lie before those of the peer in the rank's receive
  /// buffer
  template <class Sent, class Offset, class Landing>
  [[nodiscard]] std::vector<PeerMessage> exchange(std::size_t send, std::size_t receive,
                                                  std::size_t row_bytes, Sent sent, Offset offset,
                                                  Landing landing) const {
    const int ranks = routing_.ranks();
    std::vector<PeerMessage> messages;
    for (int away = 1; away < ranks; ++away) {
      const int peer = (rank_ - away + ranks) % ranks;
      if (const std::size_t rows = sent(peer, rank_); rows > 0)
        messages.push_back({Direction::kReceive, peer, recv_ + receive + landing(rank_, peer) * row_bytes,
                            rows * row_bytes});
    }
    for (int away = 1; away < ranks; ++away) {
      const int peer = (rank_ + away) % ranks;
      if (const std::size_t rows = sent(rank_, peer); rows > 0)
        messages.push_back({Direction::kSend, peer, send_ + send + offset(rank_, peer) * row_bytes,
                            rows * row_bytes, recv_ + receive + landing(peer, rank_) * row_bytes});
    }
    return messages;
  }

  template <class T>
  T* input(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(inputs_.data() + offset);
  }
  template <class T>
  [[nodiscard]] T* sent(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(send_ + offset);
  }

  void plan_packing() {
    auto* const counts = input<std::uint32_t>(layout_.counts);
    for (int expert = 0; expert < options_.experts; ++expert) counts[expert] = routing_.count(rank_, expert);
    const auto own = static_cast<std::size_t>(rank_) * counts_bytes();
    pack_.own_counts = sent<unsigned>(layout_.counts + own);
    pack_.announced = reinterpret_cast<unsigned*>(recv_ + layout_.announced + own);
    pack_.own_experts = static_cast<unsigned long long>(routing_.experts_per_rank());
    if (!options_.dispatches) return;
    pack_.tokens = send_ + layout_.tokens;
    pack_.token_of_row = sent<unsigned>(layout_.token_of_row);
    pack_.places = sent<unsigned long long>(layout_.row_places);
    pack_.rows = rows_.size();
    pack_.row_bytes = options_.row_bytes;
    const std::size_t first = sent_before(rank_, rank_), end = first + routing_.rows(rank_, rank_);
    std::byte* const arrived = recv_ + layout_.arrived + received_before(rank_, rank_) * options_.row_bytes;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const bool is_own = n >= first && n < end;
      std::byte* const place =
          is_own ? arrived + (n - first) * options_.row_bytes : send_ + layout_.rows + n * options_.row_bytes;
      input<unsigned>(layout_.token_of_row)[n] = rows_[n].token;
      input<unsigned long long>(layout_.row_places)[n] = reinterpret_cast<unsigned long long>(place);
    }
  }

  /// Lists for each token where its outputs lie: in the receive buffer, those of own experts in the send
  /// buffer.
  void plan_combining() {
    if (!options_.combines) return;
    combine_.first_of_token = sent<unsigned>(layout_.first_of_token);
    combine_.places = sent<unsigned long long>(layout_.output_places);
    combine_.weights = sent<float>(layout_.weights);
    combine_.combined = sent<unsigned short>(layout_.combined);
    combine_.tokens = static_cast<unsigned long long>(options_.tokens);
    combine_.hidden = options_.hidden;
    std::vector<unsigned> next(static_cast<std::size_t>(options_.tokens) + 1);
    for (const RoutedRow& row : rows_) ++next[row.token + 1];
    for (std::size_t token = 1; token < next.size(); ++token) next[token] += next[token - 1];
    std::copy(next.begin(), next.end(), input<unsigned>(layout_.first_of_token));
    const std::size_t first = sent_before(rank_, rank_), end = first + routing_.rows(rank_, rank_);
    std::byte* const own = send_ + layout_.outputs + received_before(rank_, rank_) * output_bytes();
    positions_.resize(rows_.size());
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const bool is_own = n >= first && n < end;
      std::byte* const place =
          is_own ? own + (n - first) * output_bytes() : recv_ + layout_.returned + n * output_bytes();
      positions_[n] = next[rows_[n].token]++;
      input<unsigned long long>(layout_.output_places)[positions_[n]] =
          reinterpret_cast<unsigned long long>(place);
    }
  }

  void fill(std::uint64_t iteration) {
    data_.iteration = iteration;
    std::memset(received_.data(), static_cast<int>(kPoison), layout_.receive_length);
    received_.upload();
    for (int token = 0; options_.dispatches && token < options_.tokens; ++token)
      write_token(data_.of_token(rank_, static_cast<std::uint32_t>(token)),
                  inputs_.data() + layout_.tokens + static_cast<std::size_t>(token) * options_.row_bytes,
                  options_.row_bytes);
    if (options_.combines) {
      // A value that is no number.
      std::memset(inputs_.data() + layout_.combined, 0xFF, combined_bytes());
      auto* output = input<std::uint16_t>(layout_.outputs);
      for (const ArrivedRow& one : arrivals_) {
        write_output(data_.of_output(one.rank, one.row.token, one.row.expert), output, options_.hidden);
        output += options_.hidden;
      }
      for (std::size_t n = 0; n < rows_.size(); ++n)
        input<float>(layout_.weights)[positions_[n]] =
            weight_of(data_.of_output(rank_, rows_[n].token, rows_[n].expert));
    }
    inputs_.upload();
  }

  template <class Work>
  void timed(const char* step, Work work) {
    const std::int64_t began = now_ns();
    work();
    steps_[step] += now_ns() - began;
  }

  void dispatch() {
    timed("packing", [&] { engine_.launch(packing(), &pack_, packing_threads(pack_)); });
    timed("counting", [&] { engine_.transfer(count_messages_); });
    timed("dispatching", [&] { engine_.transfer(row_messages_); });
  }

  void combine() {
    timed("returning", [&] { engine_.transfer(output_messages_); });
    timed("combining", [&] { engine_.launch(combining(), &combine_, combining_threads(combine_)); });
  }

  Engine& engine_;
  const MoeOptions options_;
  const Routing routing_;
  const int rank_;
  const std::vector<RoutedRow> rows_;       // Rows that this rank dispatches, in their order.
  const std::vector<ArrivedRow> arrivals_;  // Rows that it receives.
  DataKey data_;
  const Layout layout_;
  std::byte *send_ = nullptr, *recv_ = nullptr;
  HostView inputs_, received_, combined_;  // Send buffer, receive buffer, combined tokens.
  PackArgs pack_{};
  CombineArgs combine_{};
  std::vector<unsigned> positions_;  // Position of each row's output among all outputs, by row.
  std::vector<PeerMessage> count_messages_, row_messages_, output_messages_;
  std::map<std::string, std::int64_t> steps_;  // Times of the last unit, ns.
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  const MoeOptions options = options_of(axes);
  return std::make_unique<Moe>(
      context, options,
      parse_routing(context.script, context.ranks, options.experts, options.tokens, options.top_k));
}

std::string words_of(const Axes& axes) {
  const MoeOptions options = options_of(axes);
  return "moe " + std::string(kPhases[axes.choice("phase", kPhases)]) + " of " +
         std::to_string(options.tokens) + " tokens";
}

}  // namespace
}  // namespace moe

WorkloadEntry moe_workload() { return {"moe", moe::kNeeds, moe::kAxes, moe::create, moe::words_of}; }

}  // namespace collbench
