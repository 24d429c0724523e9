import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import type { NodeFilters } from '../../../src/filters/filters.ts'
import { FleetFilters } from '../../../src/fleet/filters/fleetFilters.ts'
import { type FilterTable, OwnFilters } from '../../../src/fleet/filters/ownFilters.ts'
import type { BlockReference } from '../../../src/storage/blockKey.ts'
import type { FilterPosition } from '../../../src/storage/filters/filterRecord.ts'
import type { FilterRow } from '../../../src/storage/filters/filterStore.ts'

const LOGS = {
  criteria: { addresses: [Buffer.alloc(20, 1)], topics: [[], [Buffer.alloc(32, 2)]] },
  from: null,
  to: null,
  blockHash: null,
  query: '{"address":"0x01"}',
}

/** The chain that all members of a fleet have, and its log of transactions. */
class FakeFleetChain {
  readonly #blocks = new Map<string, { readonly number: number; readonly parent: string }>()
  #canonical: string[] = ['g'.padEnd(32, '.')]
  #made = 0
  readonly log: { readonly hash: Buffer; readonly sequence: number }[] = []
  #sequence = 0

  head(): BlockReference {
    const number = this.#canonical.length - 1
    return { number, hash: Buffer.from(this.#canonical[number] ?? '', 'latin1') }
  }

  hashByNumber(number: number): Buffer | null {
    const name = this.#canonical[number]
    return name === undefined ? null : Buffer.from(name, 'latin1')
  }

  storedHeader(hash: Buffer): BlockHeader | null {
    const block = this.#blocks.get(hash.toString('latin1'))
    if (block === undefined) return null
    const { number, parent } = block
    return { number, parentHash: Buffer.from(parent, 'latin1') } as BlockHeader
  }

  /** Takes blocks away and adds others. */
  reorganise(back: number, forward: number): void {
    this.#canonical.length = Math.max(1, this.#canonical.length - back)
    for (let added = 0; added < forward; added += 1) {
      this.#made += 1
      // 32 bytes, as hashes are.
      const name = `b${this.#made}`.padEnd(32, '.')
      const parent = this.#canonical.at(-1) ?? ''
      this.#blocks.set(name, { number: this.#canonical.length, parent })
      this.#canonical.push(name)
    }
  }

  /** A transaction of the log, or an entry that is none. */
  append(isPending: boolean): { readonly hash: Buffer; readonly sequence: number } | null {
    this.#sequence += 1
    if (!isPending) return null
    const entry = { hash: Buffer.alloc(32, this.#sequence), sequence: this.#sequence }
    this.log.push(entry)
    return entry
  }

  get names(): string[] {
    return this.#canonical.slice(1)
  }
}

/** Rows that are on disk, and writes that are not yet. */
class MemoryTable implements FilterTable {
  readonly #disk: Map<string, FilterRow>
  #dead = false

  constructor(disk: Map<string, FilterRow>) {
    this.#disk = disk
  }

  rows(): Iterable<FilterRow> {
    return [...this.#disk.values()]
  }

  put(rows: readonly FilterRow[]): Promise<void> {
    return this.#write(() => {
      for (const row of rows) this.#disk.set(row.id.toString('hex'), row)
    })
  }

  move(id: Buffer, position: FilterPosition): Promise<void> {
    return this.#write(() => {
      const row = this.#disk.get(id.toString('hex'))
      if (row !== undefined) this.#disk.set(id.toString('hex'), { ...row, position })
    })
  }

  remove(ids: readonly Buffer[]): Promise<void> {
    return this.#write(() => {
      for (const id of ids) this.#disk.delete(id.toString('hex'))
    })
  }

  /** The process was killed: nothing more is written, and nobody is answered. */
  kill(): void {
    this.#dead = true
  }

  async #write(action: () => void): Promise<void> {
    await setImmediate()
    if (this.#dead) await new Promise(() => undefined)
    action()
    // Between the commit and the answer.
    await setImmediate()
    if (this.#dead) await new Promise(() => undefined)
  }
}

interface Member {
  filters: FleetFilters
  own: OwnFilters
  table: MemoryTable
  readonly disk: Map<string, FilterRow>
}

/** Two members that have one chain. */
function openFleet(limits = { timeout: 1e9, most: 1000 }) {
  const chain = new FakeFleetChain()
  const members: Member[] = []
  const failures: unknown[] = []
  const clock = { now: 0 }
  const history = {
    between: async (after: number, to: number) =>
      chain.log.filter(({ sequence }) => sequence > after && sequence <= to).map(({ hash }) => hash),
  }
  const open = (index: number, disk: Map<string, FilterRow>): Member => {
    const table = new MemoryTable(disk)
    const own = new OwnFilters({
      number: () => index + 1,
      store: table,
      chain,
      history,
      limits,
      onFailure: (error) => failures.push(error),
      now: () => clock.now,
    })
    own.reached(chain.log.at(-1)?.sequence ?? 0)
    // As the fleet thread does: whoever of the others has it.
    const ask = (call: Buffer) => (members[1 - index] as Member).filters.answer(call)
    return {
      own,
      table,
      disk,
      filters: new FleetFilters({ own, chain, ask, onFailure: (error) => failures.push(error) }),
    }
  }
  members.push(open(0, new Map()), open(1, new Map()))
  const restart = (index: number) => {
    const { table, disk } = members[index] as Member
    table.kill()
    members[index] = open(index, disk)
  }
  return {
    chain,
    members,
    failures,
    clock,
    restart,
    filters: (index: number): NodeFilters => (members[index] as Member).filters,
    change: (back: number, forward: number) => {
      chain.reorganise(back, forward)
      for (const { filters } of members) filters.headChanged({ retracted: [], enacted: [] })
    },
    send: (isPending: boolean) => {
      const entry = chain.append(isPending)
      if (entry === null) return
      const notice = { ...entry, encoded: Buffer.alloc(0), sender: Buffer.alloc(20) }
      for (const { filters } of members) filters.pendingAdded([notice])
    },
  }
}

/** A client of a filter. */
interface Client {
  readonly handle: string
  readonly kind: 'logs' | 'pending'
  /** Where the filter may stand, one of which is right: an answer that fits none of them is an error. */
  states: readonly (readonly string[])[]
  /** Whether a poll of it was not answered: it may have taken effect at any time since. */
  isUnsure: boolean
}

/** The state behind some news; null when they do not fit. */
function follow(state: readonly string[], news: readonly string[]): readonly string[] | null {
  const next = [...state]
  for (const each of news) {
    const name = each.slice(1)
    if (each.startsWith('-')) {
      if (next.at(-1) !== name) return null
      next.pop()
    } else {
      if (next.includes(name)) return null
      next.push(name)
    }
  }
  return next
}

async function poll(filters: NodeFilters, handle: string): Promise<readonly string[]> {
  const changes = await filters.poll(handle)
  if (changes === null) throw new Error('the filter is gone')
  if (changes.kind === 'hashes') return changes.hashes.map((hash) => `+${hash.toString('hex')}`)
  return changes.blocks.map(({ hash, removed }) => `${removed ? '-' : '+'}${hash.toString('latin1')}`)
}

type Step =
  | { readonly kind: 'change'; readonly back: number; readonly forward: number }
  | { readonly kind: 'send'; readonly isPending: boolean }
  | { readonly kind: 'install'; readonly at: number; readonly of: Client['kind'] }
  | { readonly kind: 'poll' | 'lost' | 'failed'; readonly at: number; readonly client: number }
  | { readonly kind: 'turn' }
  | { readonly kind: 'restart'; readonly at: number }
  | { readonly kind: 'drain'; readonly at: number }

const at = fc.nat(1)
const client = fc.nat(9)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('change'), back: fc.nat(3), forward: fc.nat(4) }),
  fc.record({ kind: fc.constant('send'), isPending: fc.boolean() }),
  fc.record({ kind: fc.constant('install'), at, of: fc.constantFrom('logs', 'pending') }),
  fc.record({ kind: fc.constantFrom('poll', 'lost', 'failed'), at, client }),
  fc.record({ kind: fc.constant('turn') }),
  fc.record({ kind: fc.constant('restart'), at }),
  fc.record({ kind: fc.constant('drain'), at }),
)

/** Plays steps; the clients find out whether anything is lost or doubled. */
async function play(steps: readonly Step[], fleet = openFleet()): Promise<void> {
  const clients: Client[] = []
  const truth = (kind: Client['kind']) =>
    kind === 'logs' ? fleet.chain.names : fleet.chain.log.map(({ hash }) => hash.toString('hex'))
  const install = async (index: number, kind: Client['kind']) => {
    const filters = fleet.filters(index)
    const handle = await (kind === 'logs' ? filters.installLogs(LOGS) : filters.installPending())
    if (handle === null) throw new Error('too many')
    clients.push({ handle, kind, states: [truth(kind)], isUnsure: false })
  }
  const ask = async (one: Client, index: number) => {
    const news = await poll(fleet.filters(index), one.handle)
    const expected = JSON.stringify(truth(one.kind))
    const fits = one.states.some((state) => JSON.stringify(follow(state, news)) === expected)
    if (!fits) throw new Error(`${one.kind}: ${news.join()} fits none of ${one.states.join(' or ')}`)
    one.states = [truth(one.kind)]
    one.isUnsure = false
  }
  const doubt = () => {
    for (const one of clients) if (one.isUnsure) one.states = [...one.states, truth(one.kind)]
  }
  fleet.change(0, 3)
  await install(0, 'logs')
  await install(1, 'pending')
  for (const each of steps) {
    const one = clients[('client' in each ? each.client : 0) % clients.length] as Client
    switch (each.kind) {
      case 'change':
        fleet.change(each.back, each.forward)
        break
      case 'send':
        fleet.send(each.isPending)
        break
      case 'install':
        await install(each.at, each.of)
        break
      case 'poll':
        await ask(one, each.at)
        break
      case 'lost':
        one.isUnsure = true
        // Of a drain in between it may hear that the filter is gone.
        poll(fleet.filters(each.at), one.handle).catch(() => undefined)
        break
      case 'failed': {
        // Its logs cannot be read: it is taken back, which a kill may forestall.
        one.isUnsure = true
        const changes = await fleet.filters(each.at).poll(one.handle)
        if (changes?.kind === 'logs') changes.undo()
        break
      }
      case 'turn':
        await setImmediate()
        break
      case 'restart':
        fleet.restart(each.at)
        break
      case 'drain': {
        const { filters: from } = fleet.members[each.at] as Member
        const { filters: to } = fleet.members[1 - each.at] as Member
        for (let piece = await from.handOut(); piece.length > 0; piece = await from.handOut()) {
          if ((await to.adopt(piece))[0] !== 1) throw new Error('no room')
        }
      }
    }
    doubt()
  }
  for (const one of clients) for (const index of [0, 1]) await ask(one, index)
  if (fleet.failures.length > 0) throw fleet.failures[0]
}

t.test(
  'whatever the chain, polls, restarts, members and drains do: nothing is lost, nothing doubled',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => play(steps)),
      { numRuns: 300 },
    )
  },
)
