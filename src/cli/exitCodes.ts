/** Exit codes of the process. */
export const EXIT_CODES = {
  /** Done, or ended as asked. */
  ok: 0,
  /** Failed for a reason that no other code names; the message says which. */
  failed: 1,
  /**
   * Incorrect use: unknown command or option, a value out of bounds, an unreadable configuration file, a data
   * directory whose format this build does not read.
   */
  usage: 2,
  /** An import met an invalid block; everything before it is stored. */
  invalidBlock: 3,
  /** A store is damaged: a check found it, or another command cannot use it. */
  damaged: 4,
  /** The native core is missing, or does not load on this system. */
  nativeCore: 5,
} as const

/** Meaning of each exit code, for help. */
export const EXIT_CODE_TEXTS: Readonly<Record<ExitCode, string>> = {
  0: 'done, or ended as asked',
  1: 'failed; the message says why',
  2: 'wrong use: unknown command or option, value out of bounds, unreadable configuration, a data directory of another format',
  3: 'an import met an invalid block; everything before it is stored',
  4: 'a store is damaged; the message says which file or block',
  5: 'the native core is missing or does not load; the message says for which systems there is one',
}

/** An exit code of the program. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]
