// Codes of the errors and hangs by which ranks end. The agent's ErrorCode is generated from this table (contract/constants.ts).

interface ErrorCodeRow {
  /** Comment of the code in the generated C++ enum. */
  meaning: string;
  /** Likely cause of the error, printed for users below the message; absent = the code does not tell it. */
  cause?: string;
  /** Present for codes of ranks that ended only because another rank had ended; absent for original errors of the rank itself. */
  consequence?: {
    /**
     * Number that says how well the code explains why other ranks ended: 2 explains more than 1. A code without
     * `consequence`, an error of the rank itself, explains more than both.
     */
    order: 1 | 2;
    /** Text after the rank's number that says how it ended. */
    text: string;
  };
  /** Present, possibly empty, if the code belongs to a hang; absent for other errors. */
  hang?: {
    /** True if the agent saw that the suspected rank does not take part in the operation. */
    isAbsent?: boolean;
    /**
     * Returns the text that follows the number of the suspected rank; absent = the general text that the rank stopped answering.
     * @param process "it", or "its process 7"
     */
    text?: (process: string) => string;
  };
}

const rows = {
  invalid_argument: { meaning: 'The caller requested something impossible.' },
  unavailable: { meaning: 'The machine cannot do it; the message says what would make it possible.' },
  no_memory: {
    meaning: 'The machine has no memory for a buffer.',
    cause:
      'Out of memory: lower --max or --ranks, or raise the limit of the login or job (ulimit -v, h_vmem).',
  },
  connection_lost: {
    meaning: 'The peer or the link was lost.',
    consequence: { order: 2, text: 'lost the connection to a peer' },
  },
  timeout: { meaning: 'A deadline passed.', hang: {} },
  absent: {
    meaning: 'The suspect of a hang is not in the collective call in which all other ranks wait.',
    hang: { isAbsent: true },
  },
  never_joined: {
    meaning: 'The suspect of a hang has not connected to the address at which the ranks meet.',
    cause:
      'Likely cause: it is still before the call that joins the others (init_process_group). If it only starts slowly, raise --join-timeout.',
    hang: {
      isAbsent: true,
      text: (process) => `never joined: ${process} has no connection to the rendezvous`,
    },
  },
  protocol: { meaning: 'The peer sent something that the protocol forbids.' },
  cancelled: {
    meaning: 'The operation was stopped on request.',
    consequence: { order: 1, text: 'was stopped' },
  },
  internal: { meaning: 'One of our own invariants is broken.' },
} as const satisfies Record<string, ErrorCodeRow>;

export const errorCodes: ReadonlyMap<string, ErrorCodeRow> = new Map(Object.entries(rows));
