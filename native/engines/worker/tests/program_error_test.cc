#include "engines/worker/program_error.h"

#include <doctest/doctest.h>

using namespace collbench::worker;

TEST_CASE("the exception that ended a Python program is the line behind the last traceback's frames") {
  CHECK(last_exception("loading\n").empty());
  CHECK(last_exception("").empty());
  CHECK(last_exception("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n").empty());
  const std::string first =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x\n    ^\nKeyError: 'a'\n";
  CHECK(last_exception(first) == "KeyError: 'a'");
  CHECK(last_exception("epoch 1\n" + first +
                       "\nDuring handling of the above exception, another exception occurred:\n\n"
                       "Traceback (most recent call last):\n  File \"a.py\", line 2, in g\n"
                       "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
                       "[W1126 socket.cpp] cleaning up\n") ==
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB");
  CHECK(last_exception("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a.py\", line 2\n"
                       "[rank1]: RuntimeError: no\n") == "RuntimeError: no");
  CHECK(last_exception(
            "terminate called after throwing an instance of 'gloo::EnforceNotMet'\n"
            "  what():  [enforce fail at pair.cc:464] op.preamble.length <= op.nbytes. 2000 vs 1000\n") ==
        "[enforce fail at pair.cc:464] op.preamble.length <= op.nbytes. 2000 vs 1000");
}

TEST_CASE("a lost connection is the end of a peer; a full memory or a size is the program's own") {
  CHECK(is_peer_failure("RuntimeError: [../gloo/pair.cc:553] Connection closed by peer [127.0.0.1]:1"));
  CHECK(is_peer_failure("RuntimeError: Connection reset by peer"));
  CHECK_FALSE(is_peer_failure("RuntimeError: [enforce fail at pair.cc:446] op.preamble.length <= op.nbytes"));
  CHECK_FALSE(is_peer_failure("torch.OutOfMemoryError: CUDA out of memory"));
}
