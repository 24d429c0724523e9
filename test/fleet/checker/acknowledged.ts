import type { Entry, FinalEntry, History } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * In the end each member has each transaction that was acknowledged, and all say the same of it; one that was sent again
 * has the hash of the first time. A block that was acknowledged is on the chain, or another one of its height is, and
 * then some member still has it.
 */
export function checkAcknowledged({ entries, finals, heads, blocks }: History): Violation[] {
  const violations: Violation[] = []
  const found = new Map<string, FinalEntry[]>()
  for (const final of finals) {
    const key = `${final.what} ${final.hash}`
    const known = found.get(key)
    if (known === undefined) found.set(key, [final])
    else known.push(final)
  }
  const canonical = canonicalBlocks(heads.at(-1)?.hash, blocks)
  const height = heads.at(-1)?.number ?? 0
  const seen = new Set<string>()
  for (const entry of entries) {
    const { operation, outcome } = entry
    if (outcome.kind !== 'answered' || (operation.kind !== 'send' && operation.kind !== 'solution')) continue
    // A solution that was refused is acknowledged without a block.
    if (outcome.value === null) continue
    const hash = String(outcome.value)
    if (operation.kind === 'send' && hash !== operation.hash)
      violations.push(of(entry, `transaction ${operation.hash} is acknowledged as ${hash}`))
    const what = operation.kind === 'send' ? 'transaction' : 'block'
    if (seen.has(hash)) continue
    seen.add(hash)
    const there = found.get(`${what} ${hash}`) ?? []
    const message =
      what === 'transaction' ? judge(hash, there, canonical) : judgeBlock(hash, there, canonical, height)
    if (message !== null) violations.push(of(entry, message))
  }
  return violations
}

function judge(hash: string, finals: readonly FinalEntry[], canonical: ReadonlySet<string>): string | null {
  if (finals.length === 0) return `nobody was asked for transaction ${hash} in the end`
  const without = finals.find(({ where }) => where === null)
  if (without !== undefined) return `member ${without.member} has lost transaction ${hash}`
  const places = new Set(finals.map(({ where }) => where))
  if (places.size > 1) return `members disagree about transaction ${hash}: ${[...places].join(', ')}`
  const [where = ''] = places
  return where === 'pool' || canonical.has(where ?? '')
    ? null
    : `transaction ${hash} is in block ${where}, which is not on the chain of the fleet`
}

function judgeBlock(
  hash: string,
  finals: readonly FinalEntry[],
  canonical: ReadonlySet<string>,
  height: number,
): string | null {
  if (finals.length === 0) return `nobody was asked for block ${hash} in the end`
  const number = finals.find(({ where }) => where !== null)?.number
  if (number === undefined) return `all members have lost block ${hash}`
  if (number > height)
    return `block ${number} ${hash} is above the chain of the fleet, which ends at ${height}`
  const without = finals.find(({ where }) => where === null)
  return canonical.has(hash) && without !== undefined
    ? `member ${without.member} has lost block ${hash}, which is on the chain`
    : null
}

function canonicalBlocks(head: string | undefined, blocks: History['blocks']): ReadonlySet<string> {
  const canonical = new Set<string>()
  let block = head === undefined ? undefined : blocks.get(head)
  while (block !== undefined) {
    canonical.add(block.hash)
    block = blocks.get(block.parent)
  }
  return canonical
}

function of(entry: Entry, message: string): Violation {
  return { rule: 'acknowledged', message, entries: [entry] }
}
