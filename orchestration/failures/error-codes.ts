// Codes of the errors and hangs by which ranks end. The agent's ErrorCode is generated from this table (contract/constants.ts).

interface ErrorCodeRow {
  /** The comment of the code in C++. */
  meaning: string;
  /** The likely cause, as a line for users below the message. */
  cause?: string;
  /** Only for ranks that end because another rank has ended. */
  consequence?: {
    /** How well the code explains the ends of other ranks; an error of the rank itself is above all of these. */
    order: 1 | 2;
    /** Text after the rank's number that says how it ended. */
    text: string;
  };
  /** Only for hangs. */
  hang?: {
    /** True if the agent saw that the suspect does not take part in the operation. */
    isAbsent?: boolean;
    /** Text after the number of the suspect. @param process "it", or "its process 7" */
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
