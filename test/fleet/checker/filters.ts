import type { RecordedChains, ToldOf } from './events.ts'
import type { HeadOrder } from './headOrder.ts'
import type { Entry, FaultEntry, FilterKind, History } from './history.ts'
import { NOT_CONNECTED_CODE } from './recordingClient.ts'
import type { Violation } from './violation.ts'

/** A filter with its polls. */
interface Polled {
  readonly made: Entry
  readonly id: string
  readonly of: FilterKind
  readonly address: string | null
  readonly polls: readonly Entry[]
}

/**
 * Polls of a filter, those that were answered taken together, tell every event once, in order, and all that happened
 * up to a head that was seen before the poll began. A poll that was not answered may have taken what came before it
 * with it, also later than the client gave up, or not.
 */
export function checkFilters(history: History, order: HeadOrder, chains: RecordedChains): Violation[] {
  return filtersOf(history).flatMap((filter) => {
    const violation =
      filter.of === 'transactions'
        ? checkTransactions(filter, history, order, chains)
        : checkEvents(filter, filter.of, chains, order)
    return violation === null ? [] : [violation]
  })
}

function filtersOf({ entries }: History): Polled[] {
  const polls = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.operation.kind !== 'poll') continue
    const known = polls.get(entry.operation.filter)
    if (known === undefined) polls.set(entry.operation.filter, [entry])
    else known.push(entry)
  }
  return entries.flatMap((made) => {
    const { operation, outcome } = made
    if (operation.kind !== 'newFilter' || outcome.kind !== 'answered') return []
    const id = String(outcome.value)
    return [{ made, id, of: operation.of, address: operation.address, polls: polls.get(id) ?? [] }]
  })
}

/** Places of the record of heads that the filter may stand at, with the least number of lost polls that this takes. */
type Cursors = ReadonlyMap<number, number>

function checkEvents(
  { made, id, address, polls }: Polled,
  of: ToldOf,
  chains: RecordedChains,
  order: HeadOrder,
): Violation | null {
  const between = (from: number, to: number) => chains.events(of, address, from, to)
  let cursors: Cursors = new Map(
    range(order.floor(made.begin), order.ceiling(made.end)).map((place) => [place, 0]),
  )
  let lost = 0
  const told = new Set<string>()
  for (const poll of polls) {
    if (isLost(poll)) lost += 1
    if (poll.outcome.kind !== 'answered') continue
    const names = poll.outcome.value as readonly string[]
    const [least, most] = [order.floor(poll.begin), order.ceiling(poll.end)]
    const next = new Map<number, number>()
    for (const [place, used] of cursors) {
      for (const start of used < lost ? range(place, most) : [place]) {
        const uses = start === place ? used : used + 1
        for (const after of range(Math.max(start, least), most))
          if (uses < (next.get(after) ?? Number.POSITIVE_INFINITY) && isSame(names, between(start, after)))
            next.set(after, uses)
      }
    }
    if (next.size === 0) {
      const from = Math.max(...cursors.keys())
      const due = between(from, Math.min(chains.places - 1, Math.max(least, from + 1)))
      const message = describe(id, names, told, due, (name) => isKnown(chains, of, address, name))
      return { rule: 'filter', message, entries: [...lastOf(polls, poll), poll] }
    }
    for (const name of names) told.add(name)
    cursors = next
  }
  return null
}

/** Whether any change of the head tells an event. */
function isKnown(chains: RecordedChains, of: ToldOf, address: string | null, name: string): boolean {
  return range(1, chains.places - 1).some((place) =>
    chains.events(of, address, place - 1, place).includes(name),
  )
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at])
}

/** A poll that was refused by the member that has the filter was not done; any other may have been. */
function isLost({ outcome, operation, member }: Entry): boolean {
  if (outcome.kind === 'answered' || operation.kind !== 'poll') return false
  if (outcome.kind === 'unknown') return true
  return operation.owner !== member && outcome.code !== NOT_CONNECTED_CODE
}

function describe(
  id: string,
  names: readonly string[],
  told: ReadonlySet<string>,
  due: readonly string[],
  isKnown: (name: string) => boolean,
): string {
  const twice = names.find((name) => told.has(name))
  if (twice !== undefined) return `filter ${id} tells ${twice} twice`
  const foreign = names.find((name) => !isKnown(name))
  if (foreign !== undefined) return `filter ${id} tells ${foreign}, which never happened`
  return `filter ${id} tells [${names.join(', ')}] where [${due.join(', ')}] is due`
}

/**
 * A filter of transactions tells each hash once, again only when a reorganisation gave it back to the pool, and what was acknowledged before a poll began by the end of it, unless
 * a poll that was not answered may have taken it along: one that was done after it was sent.
 */
function checkTransactions(
  { made, id, polls }: Polled,
  { entries, faults }: History,
  order: HeadOrder,
  chains: RecordedChains,
): Violation | null {
  /** What a reorganisation gave back to the pool enters it once more, and is told of once more. */
  const isGivenBack = (hash: string, before: Entry, poll: Entry) =>
    range(order.floor(before.begin) + 1, order.ceiling(poll.end)).some((place) =>
      chains.givenBack(place).has(hash),
    )
  const told = new Map<string, Entry>()
  const sends = entries.filter(
    ({ operation, outcome, begin }) =>
      operation.kind === 'send' && outcome.kind === 'answered' && begin > made.end,
  )
  /** From when on the log may have had it: it may have been sent before without an answer. */
  const offered = new Map<string, number>()
  for (const { operation, begin } of entries)
    if (operation.kind === 'send' && !offered.has(operation.hash)) offered.set(operation.hash, begin)
  const offeredAt = (hash: string) => offered.get(hash) ?? Number.NEGATIVE_INFINITY
  const first = new Map<string, Entry>()
  for (const send of sends) {
    const hash = String((send.outcome as { readonly value: unknown }).value)
    const known = first.get(hash)
    // What was offered before the filter was there may have been told to nobody.
    if (offeredAt(hash) > made.end && (known === undefined || send.end < known.end)) first.set(hash, send)
  }
  let lost = Number.NEGATIVE_INFINITY
  for (const poll of polls) {
    if (isLost(poll)) lost = Math.max(lost, doneBy(poll, faults))
    if (poll.outcome.kind !== 'answered') continue
    for (const hash of poll.outcome.value as readonly string[]) {
      const before = told.get(hash)
      if (before !== undefined && !isGivenBack(hash, before, poll))
        return { rule: 'filter', message: `filter ${id} tells ${hash} twice`, entries: [before, poll] }
      told.set(hash, poll)
    }
    for (const [hash, send] of first) {
      if (offeredAt(hash) <= lost || send.end >= poll.begin || told.has(hash)) continue
      const message = `filter ${id} does not tell ${hash}, which was acknowledged before`
      return { rule: 'filter', message, entries: [send, poll] }
    }
  }
  return null
}

/** Milliseconds within which a member that is ready has done whatever it was asked before. */
const LATE_MS = 1000

/** When a poll that was not answered has been done at the latest: one that was asked while something was broken waits. */
function doneBy({ begin, end }: Entry, faults: readonly FaultEntry[]): number {
  const healed = faults
    .filter((fault) => begin < (fault.healed ?? fault.end))
    .map((fault) => fault.healed ?? fault.end)
  return Math.max(end, ...healed) + LATE_MS
}

/** Whole numbers from one to another, both included. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}

function lastOf(polls: readonly Entry[], poll: Entry): readonly Entry[] {
  const before = polls[polls.indexOf(poll) - 1]
  return before === undefined ? [] : [before]
}
