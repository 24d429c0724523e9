/**
 * Milliseconds since 1970 on a monotonic clock: setting the machine's time does not change ages measured with
 * it.
 */
export function createSteadyClock(): () => number {
  const offset = Date.now() - performance.now()
  return () => Math.floor(offset + performance.now())
}

/** A clock that stands still while another one goes back. */
export function neverBack(clock: () => number): () => number {
  let latest = Number.NEGATIVE_INFINITY
  return () => {
    latest = Math.max(latest, clock())
    return latest
  }
}
