#include "agent/forensics/workers.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

using namespace collbench::agent;

namespace {

constexpr const char* kAsleep =
    "Current thread 0x00007f (most recent call first):\n  File \"/w/train.py\", line 14 in train\n"
    "  File \"/w/train.py\", line 20 in <module>\n";
constexpr const char* kInCollective =
    "epoch 1\nCurrent thread 0x00007f [python3] (most recent call first):\n"
    "  File \"/v/torch/distributed/distributed_c10d.py\", line 3147 in all_reduce\n"
    "  File \"/w/train.py\", line 17 in train\nepoch 2\n";

}  // namespace

TEST_CASE("the last stack of a Python program, innermost frame first") {
  CHECK(last_python_stack("nothing").empty());
  CHECK(last_python_stack(std::string(kInCollective) + kAsleep) ==
        std::vector<std::string>{"/w/train.py:14 in train", "/w/train.py:20 in <module>"});
  CHECK(last_python_stack(kInCollective).size() == 2);
}

TEST_CASE("the one rank that is in no collective while all others are in one holds them up") {
  const auto asleep = last_python_stack(kAsleep), waiting = last_python_stack(kInCollective);
  CHECK(only_rank_not_waiting({waiting, asleep, waiting}) == 1U);
  CHECK_FALSE(only_rank_not_waiting({waiting, waiting}).has_value());
  CHECK_FALSE(only_rank_not_waiting({asleep, asleep, waiting}).has_value());
  CHECK_FALSE(only_rank_not_waiting({waiting, {}}).has_value());
  CHECK_FALSE(only_rank_not_waiting({asleep}).has_value());
}

TEST_CASE("a signal is for processes that have a handler") {
  struct sigaction before{}, action{};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR2, &action, &before);
  CHECK(has_signal_handler(getpid(), SIGUSR2));
  sigaction(SIGUSR2, &before, nullptr);
  action.sa_handler = SIG_DFL;
  sigaction(SIGUSR2, &action, &before);
  CHECK_FALSE(has_signal_handler(getpid(), SIGUSR2));
  sigaction(SIGUSR2, &before, nullptr);
}
