import { type HeardMember, PRESENT_FOR } from '../presence/members.ts'
import { ANNOUNCED_FOR } from './frontNews.ts'

/** Calls when a member was not heard for so long that it does not count any more. */
export class SilenceTimer {
  readonly #onSilence: () => void
  #timer: NodeJS.Timeout | null = null

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
  }

  /** @param others members that are present @param now milliseconds of the monotonic clock */
  watch(others: readonly HeardMember[], now: number): void {
    this.close()
    const ends = others.flatMap(({ heardAt }) => [heardAt + ANNOUNCED_FOR, heardAt + PRESENT_FOR])
    const next = Math.min(...ends.filter((end) => end > now))
    if (Number.isFinite(next)) this.#timer = setTimeout(this.#onSilence, next - now + 1)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
