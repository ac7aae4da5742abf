#pragma once
// Ranks as threads, and a test that runs one collective on all of them.
#include <functional>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::test {

/// Runs `body` on one thread per rank. A failing rank frees the others. @throws the first original error
void on_ranks(int ranks,
              const std::function<void(Bootstrap& bootstrap, const std::function<bool()>& cancelled)>& body);

/// Fills, runs and verifies the operation for `iterations` iterations, and checks that memory behind the
/// receive buffer is unchanged. All ranks call it with equal arguments.
/// @return "" if everything is right, else one line naming the operation, rank, element, wanted and got
std::string exercise(Engine& engine, int rank, int ranks, const Operation& operation, int iterations = 2);

/// Returns every reduction and data type with the given counts, in place and out of place, with the first and
/// the last rank as root.
std::vector<Operation> operations(int ranks, const std::vector<std::size_t>& counts, bool all_types);

}  // namespace collbench::test
