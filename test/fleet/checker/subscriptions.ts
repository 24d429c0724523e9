import type { RecordedChains } from './events.ts'
import type { Entry, History } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * A client that is told of heads, at whichever members one after the other, is told of each block of the chain once and
 * behind its parent; it is told of another branch only where the fleet went there, and of the last head in the end.
 */
export function checkSubscriptions({ entries, heads }: History, chains: RecordedChains): Violation[] {
  const byClient = new Map<number, Entry[]>()
  for (const entry of entries) {
    if (entry.operation.kind !== 'told') continue
    const own = byClient.get(entry.client)
    if (own === undefined) byClient.set(entry.client, [entry])
    else own.push(entry)
  }
  const last = heads.at(-1)?.hash
  return [...byClient.values()].flatMap((told) => {
    // Those of one connection began at the same time.
    const inOrder = told.toSorted((a, b) => a.end - b.end)
    const message = judge(inOrder, chains) ?? judgeEnd(inOrder, last)
    return message === null ? [] : [message]
  })
}

function judge(told: readonly Entry[], chains: RecordedChains): Violation | null {
  let place = 0
  for (const [at, entry] of told.entries()) {
    const before = told[at - 1]
    const message = judgeOne(entry, before, chains)
    const next = message === null ? chains.placeOf(hashOf(entry), place) : null
    if (message === null && next !== null) {
      place = next
      continue
    }
    return {
      rule: 'subscription',
      message: message ?? `it is told of ${hashOf(entry)}, from which the fleet had gone away`,
      entries: [...(before === undefined ? [] : [before]), entry],
    }
  }
  return null
}

function judgeOne(entry: Entry, before: Entry | undefined, chains: RecordedChains): string | null {
  const hash = hashOf(entry)
  if (chains.placeOf(hash, 0) === null) return `it is told of ${hash}, which was on no chain of the fleet`
  if (before === undefined || entry.operation.kind !== 'told') return null
  const { parent } = entry.operation
  if (chains.isOnChain(hash, hashOf(before))) return `it is told of ${hash} again`
  if (parent === null || !chains.isOnChain(parent, hashOf(before)))
    return `it is told of ${hash}, but not of its parent ${parent}`
  return null
}

function judgeEnd(told: readonly Entry[], last: string | undefined): Violation | null {
  const entry = told.at(-1)
  if (entry === undefined || hashOf(entry) === last) return null
  const message = `it is told up to ${hashOf(entry)}, but not of ${last}, the head in the end`
  return { rule: 'subscription', message, entries: [entry] }
}

function hashOf({ outcome }: Entry): string {
  return outcome.kind === 'answered' ? String(outcome.value) : ''
}
