/** Errors of the system when a process has no free file descriptors, by name and by number (Linux errno). */
const NO_DESCRIPTORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 23, 24])
const NO_DESCRIPTORS_TEXT = /\(os error 2[34]\)|\bE[MN]FILE\b|Too many open files/

/**
 * Message for an error that is due to exhausted file descriptors; null for another reason. It needs no other
 * module, because loading one may be what failed.
 */
export function describeFileLimit(thrown: unknown): string | null {
  if (!(thrown instanceof Error)) return null
  const { code, message } = thrown as Error & { code?: unknown }
  if (!NO_DESCRIPTORS.has(code) && !NO_DESCRIPTORS_TEXT.test(message)) return null
  return (
    `the process may not open as many files as a node needs (${message}): raise the limit of file descriptors ` +
    '(`ulimit -n`, LimitNOFILE= of a systemd unit) to 1024 at least'
  )
}
