#include "workloads/controlpath/mailbox.h"

#include "core/error.h"
#include "core/spin.h"
#include "transports/ibgda/initiator.h"

namespace collbench::controlpath {

SharedMailbox::SharedMailbox(Engine& engine)
    : engine_(engine), memory_(engine.device_port()->share(sizeof(Mailbox))) {}

SharedMailbox::~SharedMailbox() {
  stop();
  try {
    engine_.synchronize();
  } catch (const Error&) {  // The reason why this launch ends is reported elsewhere.
  }
}

void SharedMailbox::stop() noexcept { ibgda::store_word(&(**this).stop, 1U); }

bool SharedMailbox::await_request(std::uint32_t spins) {
  Mailbox& box = **this;
  std::uint32_t looks = 0;
  for (Spinner spinner(spins); ibgda::load_word(&box.request) == 0; spinner.step()) {
    if (++looks % 256 != 0) continue;
    if (ibgda::load_word(&box.stop) != 0) return false;
    engine_.stop_if_cancelled();
  }
  ibgda::store_word(&box.request, 0U);
  return true;
}

void SharedMailbox::answer() noexcept { ibgda::store_word(&(**this).answer, 1U); }

void require_good(std::uint64_t syndrome) {
  if (syndrome != 0)
    throw Error(ErrorCode::kConnectionLost,
                "ibgda: a completion that the GPU took says " +
                    ibgda::syndrome_text(static_cast<std::uint8_t>(syndrome - 1)));
}

}  // namespace collbench::controlpath
