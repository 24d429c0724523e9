import { inRealTime } from './ended.ts'
import type { Entry, FaultEntry, History, UsedBefore } from './history.ts'
import { NOT_CONNECTED_CODE } from './recordingClient.ts'
import type { Violation } from './violation.ts'

/** What a member counted in so many milliseconds before it was killed may be lost with it. */
const UNWRITTEN_MS = 1000
/** Members write what they counted once a second; the report of it is given again for a second. */
const SHOWN_AFTER_MS = 2000

/**
 * Requests that a key was used for, as members show them, never go back, are never more than were asked, and in the end
 * not less than were answered, but for what members that were killed had not yet written.
 */
export function checkUsage({ entries, faults, keys }: History): Violation[] {
  const byKey = new Map<string, { readonly shown: Entry[]; readonly used: Entry[] }>()
  const of = (key: string) => {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const made = { shown: [], used: [] }
    byKey.set(key, made)
    return made
  }
  for (const entry of entries) {
    if (entry.operation.kind === 'usage') {
      if (entry.outcome.kind === 'answered') of(entry.operation.key).shown.push(entry)
    } else if (entry.key !== undefined) of(entry.key).used.push(entry)
  }
  const usedBefore = (key: string) => keys.find((one) => one.key === key)?.used ?? NEVER_USED
  return [...byKey].flatMap(([key, { shown, used }]) => [
    ...goesBack(key, shown),
    ...tooMuch(key, shown, used, usedBefore(key).most),
    ...tooLittle(key, shown, used, usedBefore(key).least, faults),
  ])
}

function goesBack(key: string, shown: readonly Entry[]): Violation[] {
  let most: Entry | null = null
  let violation: Violation | null = null
  inRealTime(shown, (entry, ended) => {
    for (const before of ended) if (most === null || sumOf(before) > sumOf(most)) most = before
    const before = most as Entry | null
    if (violation !== null || before === null || sumOf(entry) >= sumOf(before)) return
    const message = `the usage of key ${key} is ${sumOf(entry)} after it was ${sumOf(before)}`
    violation = { rule: 'usage', message, entries: [before, entry] }
  })
  return violation === null ? [] : [violation]
}

function tooMuch(key: string, shown: readonly Entry[], used: readonly Entry[], before: number): Violation[] {
  const begins = used.filter(mayCount).map(({ begin }) => begin)
  for (const entry of shown) {
    const most = before + begins.filter((begin) => begin < entry.end).length
    if (sumOf(entry) <= most) continue
    const message = `the usage of key ${key} is ${sumOf(entry)} when at most ${most} had been asked`
    return [{ rule: 'usage', message, entries: [entry] }]
  }
  return []
}

function tooLittle(
  key: string,
  shown: readonly Entry[],
  used: readonly Entry[],
  before: number,
  faults: readonly FaultEntry[],
): Violation[] {
  const last = shown.findLast(({ healed }) => healed === true)
  if (last === undefined) return []
  const counts = used.filter((entry) => entry.end < last.begin - SHOWN_AFTER_MS && mustCount(entry, faults))
  const least = before + counts.length
  if (sumOf(last) >= least) return []
  const message = `the usage of key ${key} is ${sumOf(last)} in the end, ${least} requests were answered`
  return [{ rule: 'usage', message, entries: [last] }]
}

/** The bounds of a key after a history. */
export function usedAfter({ entries, faults, keys }: History, key: string): UsedBefore {
  const { least, most } = keys.find((one) => one.key === key)?.used ?? NEVER_USED
  const used = entries.filter((entry) => entry.key === key)
  return {
    least: least + used.filter((entry) => mustCount(entry, faults)).length,
    most: most + used.filter(mayCount).length,
  }
}

const NEVER_USED: UsedBefore = { least: 0, most: 0 }

/** A request that was refused for its limit or its key is no use; one without an answer may be. */
function mayCount({ outcome }: Entry): boolean {
  return outcome.kind !== 'refused' || !REFUSALS.has(outcome.code)
}

function mustCount({ outcome, member, begin, end }: Entry, faults: readonly FaultEntry[]): boolean {
  if (outcome.kind !== 'answered') return false
  return !faults.some(
    (fault) => fault.killed.includes(member) && begin < fault.end && end > fault.begin - UNWRITTEN_MS,
  )
}

/** Over a limit, without a valid key, and not connected: counted apart from use, or not at all. */
const REFUSALS: ReadonlySet<number> = new Set([-32_005, -32_001, NOT_CONNECTED_CODE])

function sumOf({ outcome }: Entry): number {
  return outcome.kind === 'answered' ? Number(outcome.value) : 0
}
