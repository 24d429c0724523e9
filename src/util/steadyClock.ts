/**
 * Milliseconds since 1970 that go on evenly from now: whoever sets the machine's time, forward or back, changes no
 * age that is measured with it.
 */
export function createSteadyClock(): () => number {
  const offset = Date.now() - performance.now()
  return () => Math.floor(offset + performance.now())
}

/** A clock that stands still where another one goes back. */
export function neverBack(clock: () => number): () => number {
  let latest = Number.NEGATIVE_INFINITY
  return () => {
    latest = Math.max(latest, clock())
    return latest
  }
}
