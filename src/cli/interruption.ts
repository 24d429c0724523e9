/**
 * Resolves at the first Ctrl-C, SIGTERM or hang-up. The second one ends the process immediately by the
 * system's default: the stores survive that, as they survive a power failure.
 * @param onHangUp called for every hang-up instead, for a program without a terminal
 */
export function untilInterrupted(onHangUp?: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const ending: NodeJS.Signals[] =
      onHangUp === undefined ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : ['SIGINT', 'SIGTERM']
    const end = (signal: NodeJS.Signals) => {
      // Without a listener the next one has its default effect, also while this thread is busy.
      for (const each of ending) process.off(each, end)
      resolve(signal)
    }
    for (const signal of ending) process.on(signal, end)
    if (onHangUp !== undefined) process.on('SIGHUP', onHangUp)
  })
}
