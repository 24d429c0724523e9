import { inRealTime } from './ended.ts'
import type { Entry, History } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * Pending counts of an account never go back, and count every transaction that was acknowledged before. Nothing leaves
 * a pool of the runs but into a block, for their limits of age and size are out of reach.
 */
export function checkCounts({ entries }: History): Violation[] {
  const byAccount = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { operation, outcome } = entry
    if ((operation.kind !== 'count' && operation.kind !== 'send') || outcome.kind !== 'answered') continue
    const own = byAccount.get(operation.account)
    if (own === undefined) byAccount.set(operation.account, [entry])
    else own.push(entry)
  }
  return [...byAccount].flatMap(([account, own]) => checkAccount(account, own))
}

function checkAccount(account: string, entries: readonly Entry[]): Violation[] {
  const violations: Violation[] = []
  let least = 0
  let shownBy: Entry | null = null
  /** Acknowledged and above a gap. */
  const waiting = new Map<number, Entry>()
  const raise = (count: number, by: Entry) => {
    if (count > least) [least, shownBy] = [count, by]
    for (let next = waiting.get(least); next !== undefined; next = waiting.get(least)) {
      waiting.delete(least)
      least += 1
      shownBy = next
    }
  }
  inRealTime(entries, (entry, ended) => {
    for (const before of ended) {
      if (before.operation.kind === 'send') {
        if (before.operation.nonce >= least) waiting.set(before.operation.nonce, before)
        raise(0, before)
      } else raise(countOf(before), before)
    }
    if (entry.operation.kind !== 'count' || countOf(entry) >= least) return
    violations.push({
      rule: 'count',
      message: `the pending count of ${account} is ${countOf(entry)} after it was ${least}`,
      entries: shownBy === null ? [entry] : [shownBy, entry],
    })
  })
  return violations
}

function countOf({ outcome }: Entry): number {
  return outcome.kind === 'answered' ? Number(outcome.value) : 0
}
