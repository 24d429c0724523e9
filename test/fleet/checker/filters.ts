import type { FilterEvent, RecordedChains } from './events.ts'
import type { HeadOrder } from './headOrder.ts'
import type { Entry, FilterKind, History } from './history.ts'
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
        ? checkTransactions(filter, history)
        : checkEvents(filter, chains.events(filter.of, filter.address), order)
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

/** How many events may have been told so far, with the least number of lost polls that this takes. */
type Cursors = ReadonlyMap<number, number>

function checkEvents(filter: Polled, events: readonly FilterEvent[], order: HeadOrder): Violation | null {
  const { made, id, polls } = filter
  /** Events that came with places up to this one. */
  const until = (place: number) => countUntil(events, place)
  let cursors: Cursors = new Map(
    range(until(order.floor(made.begin)), until(order.ceiling(made.end))).map((at) => [at, 0]),
  )
  let lost = 0
  const told = new Set<string>()
  for (const poll of polls) {
    if (isLost(poll)) lost += 1
    if (poll.outcome.kind !== 'answered') continue
    const names = poll.outcome.value as readonly string[]
    const [least, most] = [until(order.floor(poll.begin)), until(order.ceiling(poll.end))]
    const next = new Map<number, number>()
    for (const [at, used] of cursors) {
      const starts = used < lost ? range(at, most - names.length) : [at]
      for (const start of starts) {
        const after = start + names.length
        const uses = start === at ? used : used + 1
        if (after < least || after > most || uses >= (next.get(after) ?? Number.POSITIVE_INFINITY)) continue
        if (names.every((name, index) => events[start + index]?.name === name)) next.set(after, uses)
      }
    }
    if (next.size === 0) {
      const message = describe(id, names, told, events, cursors, least)
      return { rule: 'filter', message, entries: [...lastOf(polls, poll), poll] }
    }
    for (const name of names) told.add(name)
    cursors = next
  }
  return null
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
  events: readonly FilterEvent[],
  cursors: Cursors,
  least: number,
): string {
  const twice = names.find((name) => told.has(name))
  if (twice !== undefined) return `filter ${id} tells ${twice} twice`
  const foreign = names.find((name) => events.every((event) => event.name !== name))
  if (foreign !== undefined) return `filter ${id} tells ${foreign}, which never happened`
  const at = Math.max(...cursors.keys())
  const due = events.slice(at, Math.max(least, at + 1)).map(({ name }) => name)
  return `filter ${id} tells [${names.join(', ')}] where [${due.join(', ')}] is due`
}

/** A filter of transactions tells each hash once, and what was acknowledged before a poll began by the end of it. */
function checkTransactions({ made, id, polls }: Polled, { entries }: History): Violation | null {
  const told = new Map<string, Entry>()
  const sends = entries.filter(
    ({ operation, outcome, begin }) =>
      operation.kind === 'send' && outcome.kind === 'answered' && begin > made.end,
  )
  const sentAgain = new Set<string>()
  const first = new Map<string, Entry>()
  for (const { operation, begin } of entries) {
    // What was offered before the filter was there may have been told to nobody.
    if (operation.kind === 'send' && begin <= made.end) sentAgain.add(operation.hash)
  }
  for (const send of sends) {
    const hash = String((send.outcome as { readonly value: unknown }).value)
    const known = first.get(hash)
    if (!sentAgain.has(hash) && (known === undefined || send.end < known.end)) first.set(hash, send)
  }
  let lost = false
  for (const poll of polls) {
    lost ||= isLost(poll)
    if (poll.outcome.kind !== 'answered') continue
    for (const hash of poll.outcome.value as readonly string[]) {
      const before = told.get(hash)
      if (before !== undefined)
        return { rule: 'filter', message: `filter ${id} tells ${hash} twice`, entries: [before, poll] }
      told.set(hash, poll)
    }
    if (lost) continue
    for (const [hash, send] of first) {
      if (send.end >= poll.begin || told.has(hash)) continue
      const message = `filter ${id} does not tell ${hash}, which was acknowledged before`
      return { rule: 'filter', message, entries: [send, poll] }
    }
  }
  return null
}

function countUntil(events: readonly FilterEvent[], place: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.place ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return low
}

/** Whole numbers from one to another, both included. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}

function lastOf(polls: readonly Entry[], poll: Entry): readonly Entry[] {
  const before = polls[polls.indexOf(poll) - 1]
  return before === undefined ? [] : [before]
}
