// Workload of a layer with experts: dispatch sends every token to the ranks of its experts, combine sends the
// experts' outputs back and adds them up. Axes: phase (dispatch, combine, pair), routing and capacity (names;
// the script of the request has the counts), dtype of dispatched tokens (bfloat16; float8e4m3 with a float32
// scale per 128 elements), experts, topK, hidden (elements of a token), tokens (of each rank), busiestBytes,
// sentBytes and rowsBytes (of a routing from a file, for analysis; else null). Combined data are bfloat16.
// Steps:
//   packing     token rows are copied into the send buffer, by expert
//   counting    ranks tell each other how many tokens follow for each expert
//   dispatching rows are sent, one message per pair of ranks
//   returning   outputs are sent back; experts take no time, their outputs lie ready
//   combining   each token's outputs are added up with their weights, in float32
#include "workloads/workload.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "engines/engine.h"
#include "workloads/moe/check.h"
#include "workloads/moe/routing.h"

namespace collbench {
namespace moe {
namespace {

constexpr Ability kNeeds[] = {Ability::kMessages, Ability::kHostClock};
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

/// Places in the send or receive buffer, in bytes.
struct Regions {
  std::size_t counts = 0, rows = 0, outputs = 0, length = 0;
};

constexpr std::size_t aligned(std::size_t bytes) noexcept {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
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
        sends_(regions(rows_.size(), arrivals_.size())),
        receives_(regions(arrivals_.size(), rows_.size())),
        tokens_(static_cast<std::size_t>(options_.tokens) * options_.row_bytes),
        outputs_(options_.combines ? static_cast<std::size_t>(options_.tokens) * options_.hidden : 0),
        sum_(options_.hidden) {
    engine_.connect_all();
    send_ = static_cast<std::byte*>(engine_.buffer(0, sends_.length));
    recv_ = static_cast<std::byte*>(engine_.buffer(1, receives_.length));
    index_rows();
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

  Verification verify(std::uint64_t /*iteration*/) override {
    Verification all;
    if (options_.dispatches) {
      add_part(all, check_counts(routing_, rank_, announced()));
      add_part(all,
               check_rows(data_, arrivals_, options_.tokens, recv_ + receives_.rows, options_.row_bytes));
    }
    if (options_.combines)
      add_part(all, check_outputs(data_, routing_, rank_, outputs_.data(), options_.hidden));
    return all;
  }

  void take_columns(OperationColumns& columns) override {
    for (const auto& [name, ns] : steps_) columns[name].push_back(ns);
  }

 private:
  using Direction = PeerMessage::Direction;

  [[nodiscard]] std::size_t output_bytes() const noexcept { return 2 * options_.hidden; }
  [[nodiscard]] std::size_t counts_bytes() const noexcept {
    return static_cast<std::size_t>(routing_.experts_per_rank()) * sizeof(std::uint32_t);
  }

  /// Returns the places in a buffer for counts, for `rows` dispatched rows and for `outputs` rows of outputs.
  [[nodiscard]] Regions regions(std::size_t rows, std::size_t outputs) const noexcept {
    Regions places;
    places.rows = aligned(counts_bytes() * static_cast<std::size_t>(routing_.ranks()));
    places.outputs = places.rows + aligned(options_.dispatches ? rows * options_.row_bytes : 0);
    places.length = places.outputs + aligned(options_.combines ? outputs * output_bytes() : 0);
    return places;
  }

  /// Lists for each token where its outputs lie among those that come back.
  void index_rows() {
    first_of_token_.assign(static_cast<std::size_t>(options_.tokens) + 1, 0);
    for (const RoutedRow& row : rows_) ++first_of_token_[row.token + 1];
    for (std::size_t token = 1; token < first_of_token_.size(); ++token)
      first_of_token_[token] += first_of_token_[token - 1];
    positions_.resize(rows_.size());
    std::vector<std::size_t> next = first_of_token_;
    for (std::size_t n = 0; n < rows_.size(); ++n) positions_[next[rows_[n].token]++] = n;
    weights_.resize(rows_.size());
  }

  void fill(std::uint64_t iteration) {
    data_.iteration = iteration;
    std::memset(recv_, static_cast<int>(kPoison), receives_.length);
    for (int token = 0; options_.dispatches && token < options_.tokens; ++token)
      write_token(data_.of_token(rank_, static_cast<std::uint32_t>(token)),
                  tokens_.data() + static_cast<std::size_t>(token) * options_.row_bytes, options_.row_bytes);
    if (!options_.combines) return;
    std::memset(outputs_.data(), 0xFF, outputs_.size() * sizeof outputs_[0]);  // A value that is no number.
    auto* output = reinterpret_cast<std::uint16_t*>(send_ + sends_.outputs);
    for (const ArrivedRow& one : arrivals_) {
      const std::uint64_t key = data_.of_output(one.rank, one.row.token, one.row.expert);
      for (std::size_t i = 0; i < options_.hidden; ++i) *output++ = output_element(key, i);
    }
    for (std::size_t n = 0; n < rows_.size(); ++n)
      weights_[n] = weight_of(data_.of_output(rank_, rows_[n].token, rows_[n].expert));
  }

  template <class Work>
  void timed(const char* step, Work work) {
    const std::int64_t began = now_ns();
    work();
    steps_[step] += now_ns() - began;
  }

  [[nodiscard]] std::uint32_t* announced() const noexcept {
    return reinterpret_cast<std::uint32_t*>(recv_ + receives_.counts);
  }

  void dispatch() {
    timed("packing", [&] {
      std::byte* to = send_ + sends_.rows;
      for (const RoutedRow& row : rows_) {
        std::memcpy(to, tokens_.data() + row.token * options_.row_bytes, options_.row_bytes);
        to += options_.row_bytes;
      }
    });
    timed("counting", [&] { exchange_counts(); });
    timed("dispatching", [&] {
      exchange(
          send_ + sends_.rows, recv_ + receives_.rows, options_.row_bytes,
          [&](int peer) { return routing_.rows(rank_, peer); },
          [&](int peer) { return rows_announced(peer); });
    });
  }

  void exchange_counts() {
    auto* out = reinterpret_cast<std::uint32_t*>(send_ + sends_.counts);
    const int experts = routing_.experts_per_rank() * routing_.ranks();
    for (int expert = 0; expert < experts; ++expert) *out++ = routing_.count(rank_, expert);
    exchange(
        send_ + sends_.counts, recv_ + receives_.counts, counts_bytes(), [](int) { return std::size_t{1}; },
        [](int) { return std::size_t{1}; });
  }

  /// Returns the number of rows that `peer` announced. A wrong number, which verify() reports, must not make
  /// messages of unlike lengths meet: the number of the routing is used instead.
  [[nodiscard]] std::size_t rows_announced(int peer) const noexcept {
    std::size_t sum = 0;
    for (int n = 0; n < routing_.experts_per_rank(); ++n)
      sum += announced()[peer * routing_.experts_per_rank() + n];
    const std::size_t due = routing_.rows(peer, rank_);
    return sum == due ? sum : due;
  }

  void combine() {
    timed("returning", [&] {
      exchange(
          send_ + sends_.outputs, recv_ + receives_.outputs, output_bytes(),
          [&](int peer) { return routing_.rows(peer, rank_); },
          [&](int peer) { return routing_.rows(rank_, peer); });
    });
    timed("combining", [&] { add_up(); });
  }

  /// Sends rows to all ranks and receives rows from all ranks, in the order of the ranks in both buffers.
  /// Each rank begins with another peer, as in alltoallv. Pairs without rows exchange no message.
  template <class Sent, class Received>
  void exchange(std::byte* send, std::byte* recv, std::size_t row_bytes, Sent sent, Received received) {
    const int ranks = routing_.ranks();
    offsets(out_, send, row_bytes, sent);
    offsets(in_, recv, row_bytes, received);
    const auto length = [](const std::vector<std::byte*>& places, int peer) {
      const auto at = static_cast<std::size_t>(peer);
      return static_cast<std::size_t>(places[at + 1] - places[at]);
    };
    messages_.clear();
    for (int away = 1; away < ranks; ++away) {
      const int peer = (rank_ - away + ranks) % ranks;
      if (const std::size_t bytes = length(in_, peer); bytes > 0)
        messages_.push_back({Direction::kReceive, peer, in_[static_cast<std::size_t>(peer)], bytes, nullptr});
    }
    for (int away = 1; away < ranks; ++away) {
      const int peer = (rank_ + away) % ranks;
      if (const std::size_t bytes = length(out_, peer); bytes > 0)
        messages_.push_back({Direction::kSend, peer, out_[static_cast<std::size_t>(peer)], bytes, nullptr});
    }
    const auto own = static_cast<std::size_t>(rank_);
    std::memcpy(in_[own], out_[own], length(out_, rank_));
    engine_.transfer(messages_);
    engine_.synchronize();
  }

  template <class Rows>
  void offsets(std::vector<std::byte*>& places, std::byte* first, std::size_t row_bytes, Rows rows) const {
    places.assign(1, first);
    for (int peer = 0; peer < routing_.ranks(); ++peer)
      places.push_back(places.back() + rows(peer) * row_bytes);
  }

  void add_up() {
    const auto* returned = reinterpret_cast<const std::uint16_t*>(recv_ + receives_.outputs);
    const std::size_t hidden = options_.hidden;
    for (std::size_t token = 0; token + 1 < first_of_token_.size(); ++token) {
      std::fill(sum_.begin(), sum_.end(), 0.0F);
      for (std::size_t n = first_of_token_[token]; n < first_of_token_[token + 1]; ++n) {
        const std::uint16_t* row = returned + positions_[n] * hidden;
        const float weight = weights_[positions_[n]];
        for (std::size_t i = 0; i < hidden; ++i) sum_[i] += weight * float_of_bfloat16(row[i]);
      }
      std::uint16_t* output = outputs_.data() + token * hidden;
      for (std::size_t i = 0; i < hidden; ++i) output[i] = bfloat16_of_float(sum_[i]);
    }
  }

  Engine& engine_;
  const MoeOptions options_;
  const Routing routing_;
  const int rank_;
  const std::vector<RoutedRow> rows_;       // Rows that this rank dispatches, in their order.
  const std::vector<ArrivedRow> arrivals_;  // Rows that it receives.
  DataKey data_;
  const Regions sends_, receives_;
  std::byte *send_ = nullptr, *recv_ = nullptr;
  std::vector<std::byte> tokens_;       // Tokens of this rank.
  std::vector<std::uint16_t> outputs_;  // Combined tokens.
  std::vector<std::size_t> first_of_token_, positions_;
  std::vector<float> weights_;  // By row.
  std::vector<float> sum_;
  std::vector<std::byte*> out_, in_;
  std::vector<PeerMessage> messages_;
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
