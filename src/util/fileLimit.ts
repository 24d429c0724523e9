/** What the system says where a process may open no further file, by name and by number (Linux errno). */
const NO_DESCRIPTORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 23, 24])
const NO_DESCRIPTORS_TEXT = /\(os error 2[34]\)|\bE[MN]FILE\b|Too many open files/

/**
 * What to tell when something was thrown because the process may open no further file; null when it was another reason.
 * Needs no other module: those may be what could not be opened.
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
