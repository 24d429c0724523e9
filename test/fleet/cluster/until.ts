import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again so often, a minute of them: a count and not a time, because the whole machine may stand still. */
const LOOKS = 600
const LOOK_MS = 100

/**
 * Waits until something of a fleet is so. What cannot be asked yet is asked again.
 * @throws Error when that does not become so
 */
export async function until(what: string, is: () => Promise<boolean>, looks = LOOKS): Promise<void> {
  let reason: unknown = null
  for (let look = 0; look < looks; look += 1) {
    try {
      if (await is()) return
    } catch (error) {
      reason = error
    }
    await sleep(LOOK_MS)
  }
  throw new Error(`not so: ${what}`, { cause: reason })
}
