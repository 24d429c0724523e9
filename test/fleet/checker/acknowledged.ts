import type { Entry, FinalEntry, History } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * In the end each member has each transaction and block that was acknowledged, and all say the same of it. A
 * transaction that was sent again has the hash of the first time.
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
    const message = judge(what, hash, found.get(`${what} ${hash}`) ?? [], canonical)
    if (message !== null) violations.push(of(entry, message))
  }
  return violations
}

function judge(
  what: FinalEntry['what'],
  hash: string,
  finals: readonly FinalEntry[],
  canonical: ReadonlySet<string>,
): string | null {
  if (finals.length === 0) return `nobody was asked for ${what} ${hash} in the end`
  const without = finals.find(({ where }) => where === null)
  if (without !== undefined) return `member ${without.member} has lost ${what} ${hash}`
  const places = new Set(finals.map(({ where }) => where))
  if (places.size > 1) return `members disagree about ${what} ${hash}: ${[...places].join(', ')}`
  const [where = ''] = places
  if (what === 'transaction' && where !== 'pool' && !canonical.has(where ?? ''))
    return `transaction ${hash} is in block ${where}, which is not on the chain of the fleet`
  return null
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
