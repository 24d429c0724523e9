/** True when this process was started at a terminal, which hangs it up when it is closed. */
function hasTerminal(): boolean {
  return process.stdin.isTTY === true
}

/**
 * Resolves at the first Ctrl-C, SIGTERM or closing of the terminal. A second Ctrl-C or SIGTERM ends the process
 * immediately by the system's default: the stores survive that, as they survive a power failure. A terminal that closes
 * sends more than one SIGHUP, from its shell and from the system, so that those have no further effect.
 * @param onHangUp called for every SIGHUP of a process without a terminal
 */
export function untilInterrupted(onHangUp: () => void = () => undefined): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const end = (signal: NodeJS.Signals) => {
      // Without a listener the next one has its default effect, also while this thread is busy.
      process.off('SIGINT', end).off('SIGTERM', end)
      // Behind what others do at the end: it is the last that is done.
      if (process.listenerCount('exit', endAtOnce) === 0) process.once('exit', endAtOnce)
      resolve(signal)
    }
    process.on('SIGINT', end).on('SIGTERM', end)
    process.on('SIGHUP', hasTerminal() ? end : onHangUp)
  })
}

/**
 * Runs work with a signal that is aborted at the first Ctrl-C, SIGTERM or closing of the terminal. Without a terminal a
 * SIGHUP has no effect.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  const hangUp = hasTerminal() ? interrupt : () => undefined
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).on('SIGHUP', hangUp)
  try {
    return await work(interruption.signal)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', hangUp)
  }
}

/**
 * Skips the clean-up of Node.js, which first gives signals their default effect and then takes its time: a SIGHUP in it
 * would be the end of a process that had ended well. Nothing is unwritten by then.
 */
function endAtOnce(code: number): void {
  process.exit(code)
}
