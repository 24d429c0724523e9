import type { BeyondHead } from '../../config/beyondHead.ts'
import type { RevertForm } from '../../config/revertForm.ts'
import { Account } from './account.ts'
import { UNLIMITED } from './limits.ts'
import { MemoryAccount, MemoryTotal, UNLIMITED_MEMORY } from './memoryAccount.ts'
import { UsageCounts } from './usageCounts.ts'

/** A connection that can be ended from here. */
export interface EndableSocket {
  end(code: number, reason: string): void
}

/** Says whether the page that opened a WebSocket may still, with these origins of its key; null is any. */
export type PageCheck = (origins: ReadonlySet<string> | null) => boolean

/** Close code for a WebSocket whose key ended, or that goes on over its limits (RFC 6455 §7.4.1: policy). */
export const POLICY_CODE = 1008

const OTHER_PAGES = 'the API key is no longer for pages of this origin'

/** The owner of a connection or request: all that come with one secret, or from one address without a key. */
export class Caller {
  /** Name for logs and metrics; never the key itself. */
  readonly name: string
  /** Shared by the old and the new secret of a key. */
  readonly account: Account
  readonly counts: UsageCounts
  /** 1 for each method that it opens, by index; null opens all. */
  opens: Uint8Array | null = null
  /** The form in which it wants reverts; null is that of the node. */
  reverts: RevertForm | null = null
  /** Its wish for a range of logs that ends beyond the head; null is as the node does. */
  beyondHead: BeyondHead | null = null
  /** True when its key has ended since. */
  isRevoked = false
  readonly #sockets = new Map<EndableSocket, PageCheck>()
  #origins: ReadonlySet<string> | null = null

  constructor(name: string, account: Account, counts: UsageCounts) {
    this.name = name
    this.account = account
    this.counts = counts
  }

  /** A request or message came in. */
  begin(): void {
    this.account.running += 1
  }

  /** It has its answer, or nobody waits for it any more. */
  end(): void {
    this.account.running -= 1
  }

  /** Counts an answer. @param method index */
  answered(method: number, bytes: number, isError: boolean): void {
    this.counts.answered(method, bytes, isError)
  }

  /** Origins of pages that may use it; null is any. */
  get origins(): ReadonlySet<string> | null {
    return this.#origins
  }

  /** Takes other origins; WebSockets of pages that may not use it any more end. */
  changeOrigins(origins: ReadonlySet<string> | null): void {
    this.#origins = origins
    for (const [socket, isAllowed] of [...this.#sockets])
      if (!isAllowed(origins)) socket.end(POLICY_CODE, OTHER_PAGES)
  }

  /** A WebSocket was opened. @param isAllowed says so of every origins for one that no page opened */
  opened(socket: EndableSocket, isAllowed: PageCheck): void {
    this.account.sockets += 1
    this.#sockets.set(socket, isAllowed)
    if (this.isRevoked) this.revoke()
    else if (!isAllowed(this.#origins)) socket.end(POLICY_CODE, OTHER_PAGES)
  }

  /** It was closed. */
  closed(socket: EndableSocket): void {
    this.account.sockets -= 1
    this.#sockets.delete(socket)
  }

  /** Its key ended: so do its WebSockets, and nothing is answered any more. */
  revoke(): void {
    this.isRevoked = true
    for (const socket of [...this.#sockets.keys()]) socket.end(POLICY_CODE, 'the API key ended')
  }
}

/** A caller without limits whose usage goes nowhere. */
export function unlimitedCaller(name: string): Caller {
  const clock = { now: () => 0, untilNextDay: () => 0, day: 0 }
  const memory = new MemoryAccount(new MemoryTotal(UNLIMITED_MEMORY))
  return new Caller(name, new Account(name, UNLIMITED, clock, memory), new UsageCounts(name, 0, new Set()))
}
