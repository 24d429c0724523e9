import { CallRefusal, FleetError } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import { FleetNames } from '../nats/names.ts'
import { bucketOf } from '../nats/provision.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'
import { decodeFilterCall, FILTER_REPLY_BYTES, isNoFilter, NO_FILTER } from './filterCalls.ts'
import { FilterHolders } from './filterHolders.ts'
import { memberOfFilter } from './filterId.ts'
import { idsOfRows } from './filterRows.ts'
import { LogReader } from './logReader.ts'

/** Services of the front thread and between members (fleet.md §10). */
export const FILTER_SERVICES = {
  /** About a filter of the member that is called; the fleet thread serves it with the others of the front thread. */
  own: 'filter',
  /** About a filter of whichever member: only of the fleet thread to its own front thread. */
  any: 'filters',
  /** Takes filters over. */
  adopt: 'adoptFilters',
  /** Lets go of filters. */
  handOut: 'handOutFilters',
  /** Hashes of transactions between two entries of the log. */
  log: 'loggedTransactions',
} as const

/** Milliseconds for one member to answer. */
const ANSWER_TIME = 2000
const ADOPT_TIME = 5000

/** What the part needs of its context, so that it can be tested without NATS. */
export type FilterPartPorts = Pick<FleetPartContext, 'calls' | 'view' | 'front' | 'log' | 'count'> & {
  readonly holders: Pick<FilterHolders, 'of' | 'add'>
  readonly reader: Pick<LogReader, 'between'>
}

/** Filters of a fleet in the fleet thread (fleet.md §6): finds who has a filter, and hands them over by `drain`. */
export class FilterPart implements FleetPart {
  readonly name = 'filters'
  #running: FilterRouter | null = null

  /** @throws FleetError */
  async start(context: FleetPartContext): Promise<void> {
    const names = new FleetNames(context.fleet)
    const holders = new FilterHolders(await bucketOf(context.jetstream, names.state))
    const reader = new LogReader(context.jetstream, context.manager, names)
    const { calls, view, front, log } = context
    this.#running = new FilterRouter({
      calls,
      view,
      front,
      log,
      count: (name, by) => context.count(name, by),
      holders,
      reader,
    })
  }

  async stop(): Promise<void> {
    this.#running?.stop()
    this.#running = null
  }

  async drain(): Promise<void> {
    await this.#running?.drain()
  }
}

/** The same over ports. */
export class FilterRouter {
  readonly #ports: FilterPartPorts
  readonly #ends: readonly (() => void)[]

  constructor(ports: FilterPartPorts) {
    this.#ports = ports
    const { calls, front, reader } = ports
    const { any, adopt, log } = FILTER_SERVICES
    this.#ends = [
      calls.serve(adopt, (payload) => front.answer(adopt, payload)),
      calls.serve(any, (payload) => this.ask(payload)),
      calls.serve(log, (payload) => reader.between(payload)),
    ]
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  /**
   * Asks whoever has a filter: the member that made it, then those that took over filters of it.
   * @throws FleetError `NoMember` when one that may have it does not answer
   */
  async ask(payload: Buffer): Promise<Buffer> {
    const { view, holders, count } = this.#ports
    const number = memberOfFilter(decodeFilterCall(payload).id)
    const maker = view.memberOf(number)
    let away: unknown = null
    const asked = new Set<MemberId>()
    const ask = async (member: MemberId): Promise<Buffer | null> => {
      if (asked.has(member)) return null
      asked.add(member)
      try {
        const reply = await this.#askMember(member, payload)
        if (!isNoFilter(reply)) return reply
      } catch (error) {
        away = error
      }
      return null
    }
    count('filters_forwarded')
    const first = maker === null ? null : await ask(maker)
    if (first !== null) return first
    for (const holder of await holders.of(number)) {
      const reply = await ask(holder)
      if (reply !== null) return reply
    }
    if (away !== null)
      throw new FleetError('NoMember', 'the member that has this filter is away', { cause: away })
    return NO_FILTER
  }

  /**
   * Hands all filters of this member to another one that serves; they stay here when none takes them. Those of which it
   * is not known whether a member took them are given to nobody else, so that no filter has two owners.
   */
  async drain(): Promise<void> {
    const { front, log, count } = this.#ports
    const { adopt, handOut } = FILTER_SERVICES
    for (;;) {
      const piece = await front.answer(handOut, Buffer.alloc(0))
      const ids = idsOfRows(piece)
      if (ids.length === 0) return
      const outcome = await this.#handOver(piece, new Set(ids.map(memberOfFilter)))
      if (outcome !== 'kept') {
        count(outcome === 'taken' ? 'filters_handed_over' : 'filters_perhaps_lost', ids.length)
        continue
      }
      log.warn(
        { filters: ids.length },
        'no other member takes the filters of this one over: they wait for its restart',
      )
      await front.answer(adopt, piece)
      return
    }
  }

  async #handOver(piece: Buffer, numbers: ReadonlySet<number>): Promise<'taken' | 'unknown' | 'kept'> {
    const { calls, view, holders, log } = this.#ports
    for (const member of view.serving.filter((id) => id !== view.self)) {
      try {
        // Recorded first: who looks for them finds them from the moment that they are there.
        for (const number of numbers) await holders.add(number, member)
      } catch (error) {
        log.warn({ member, err: error }, 'it cannot be recorded that a member takes filters over')
        continue
      }
      const call = {
        service: FILTER_SERVICES.adopt,
        payload: piece,
        milliseconds: ADOPT_TIME,
        mostBytes: 16,
      }
      try {
        if ((await calls.call(member, call))[0] === 1) return 'taken'
      } catch (error) {
        log.warn({ member, err: error }, 'a member does not take filters over')
        if (!isUndone(error)) return 'unknown'
      }
    }
    return 'kept'
  }

  #askMember(member: MemberId, payload: Buffer): Promise<Buffer> {
    const { calls, view, front } = this.#ports
    const { own: service } = FILTER_SERVICES
    if (member === view.self) return front.answer(service, payload)
    return calls.call(member, { service, payload, milliseconds: ANSWER_TIME, mostBytes: FILTER_REPLY_BYTES })
  }
}

/** Whether a call that failed did nothing for sure: it reached nobody, or was not begun. */
function isUndone(error: unknown): boolean {
  if (error instanceof CallRefusal) return NOT_BEGUN.has(error.kind)
  return error instanceof FleetError && error.code === 'NoMember'
}

const NOT_BEGUN: ReadonlySet<string> = new Set(['busy', 'unknownService'])
