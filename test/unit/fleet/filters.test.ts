import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import type { NodeFilters } from '../../../src/filters/filters.ts'
import { memberOfFilter, parseFilterId } from '../../../src/fleet/filters/filterId.ts'
import { type AppliedHeads, FleetFilters } from '../../../src/fleet/filters/fleetFilters.ts'
import { OwnFilters, type OwnFilterTable } from '../../../src/fleet/filters/ownFilters.ts'
import type { FilterPosition } from '../../../src/storage/filters/filterRecord.ts'
import type { FilterRow } from '../../../src/storage/filters/filterStore.ts'
import { FakeFleetChain } from '../../support/fleet/fakeFleetChain.ts'

const LOGS = {
  criteria: { addresses: [Buffer.alloc(20, 1)], topics: [[], [Buffer.alloc(32, 2)]] },
  from: null,
  to: null,
  blockHash: null,
  query: '{"address":"0x01"}',
}

/** Rows that are on disk, and writes that are not yet. */
class MemoryTable implements OwnFilterTable {
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

/** A member that has applied everything at once. */
const CURRENT: AppliedHeads = {
  applied: { revision: 1, hash: Buffer.alloc(32, 7) },
  begin: async () => undefined,
  caughtUp: async () => undefined,
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
      filters: new FleetFilters({
        ...{ own, chain, ask, heads: CURRENT },
        onFailure: (error) => failures.push(error),
      }),
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
    /** @param without a member that hears nothing of it */
    send: (isPending: boolean, without?: number) => {
      const entry = chain.append(isPending)
      if (entry === null) return
      const notice = { ...entry, encoded: Buffer.alloc(0), sender: Buffer.alloc(20) }
      members.forEach(({ filters }, index) => {
        if (index !== without) filters.pendingAdded([notice])
      })
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
  | { readonly kind: 'drain' | 'interrupt'; readonly at: number }

const at = fc.nat(1)
const client = fc.nat(9)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('change'), back: fc.nat(3), forward: fc.nat(4) }),
  fc.record({ kind: fc.constant('send'), isPending: fc.boolean() }),
  fc.record({ kind: fc.constant('install'), at, of: fc.constantFrom('logs', 'pending') }),
  fc.record({ kind: fc.constantFrom('poll', 'lost', 'failed'), at, client }),
  fc.record({ kind: fc.constant('turn') }),
  fc.record({ kind: fc.constant('restart'), at }),
  fc.record({ kind: fc.constantFrom('drain', 'interrupt'), at }),
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
      case 'interrupt': {
        // It takes a pool over, with transactions that it is not told of.
        const { own } = fleet.members[each.at] as Member
        own.interrupted()
        fleet.send(true, each.at)
        own.reached(fleet.chain.log.at(-1)?.sequence ?? 0)
        break
      }
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

t.test('ids are QUANTITIES that name the member, and nobody can guess them', async (t) => {
  const fleet = openFleet()
  const ids = await Promise.all(Array.from({ length: 50 }, () => fleet.filters(1).installBlocks()))
  t.equal(new Set(ids).size, 50)
  for (const id of ids) {
    t.match(id, /^0x[1-9a-f][0-9a-f]{31}$/)
    t.equal(memberOfFilter(parseFilterId(id ?? '') ?? Buffer.alloc(16)), 2)
  }
  t.equal(await fleet.filters(0).poll('0x12'), null)
  t.equal(await fleet.filters(0).uninstall('0x12'), false)
})

t.test(
  'filters end after their time, by hand at any member, and are not made beyond the limit',
  async (t) => {
    const fleet = openFleet({ timeout: 1000, most: 2 })
    const filters = fleet.filters(0)
    const [first, second] = [await filters.installBlocks(), await filters.installLogs(LOGS)]
    t.equal(await filters.installPending(), null)
    fleet.clock.now = 999
    t.same(await fleet.filters(1).poll(first ?? ''), { kind: 'hashes', hashes: [] })
    fleet.clock.now = 1500
    t.equal(await filters.poll(second ?? ''), null, 'over its time')
    t.same(
      await filters.poll(first ?? ''),
      { kind: 'hashes', hashes: [] },
      'renewed by a poll at another member',
    )
    t.equal(await fleet.filters(1).uninstall(first ?? ''), true)
    t.equal(await fleet.filters(1).uninstall(first ?? ''), false)
    for (let turn = 0; turn < 4; turn += 1) await setImmediate()
    t.equal(fleet.members[0]?.disk.size, 0)
  },
)

t.test(
  'the memory of a client is taken while it has a filter, and while another member is asked',
  async (t) => {
    const fleet = openFleet()
    let used = 0
    let most = 0
    const memory = {
      draw: (bytes: number) => {
        used += bytes
        most = Math.max(most, used)
      },
      release: (bytes: number) => {
        used -= bytes
      },
    }
    const handle = (await fleet.filters(0).installLogs(LOGS, memory)) ?? ''
    const own = used
    t.ok(own > 0)
    most = 0
    await fleet.filters(1).poll(handle, memory)
    t.ok(most > own + 16_384 * 32)
    t.equal(used, own)
    await fleet.filters(1).uninstall(handle)
    t.equal(used, 0)
  },
)

t.test('what filters stand for as a whole, at any member', async (t) => {
  const fleet = openFleet()
  const logs = (await fleet.filters(0).installLogs(LOGS)) ?? ''
  const blocks = (await fleet.filters(0).installBlocks()) ?? ''
  fleet.change(0, 2)
  fleet.change(1, 2)
  await fleet.filters(0).poll(blocks)
  for (const index of [0, 1]) {
    t.same(await fleet.filters(index).content(logs), { kind: 'logs', query: LOGS.query })
    const content = await fleet.filters(index).content(blocks)
    t.same(
      content?.kind === 'hashes' && content.hashes.map((hash) => hash.toString('latin1')),
      fleet.chain.names,
    )
  }
})

t.test('a filter for one block, or for heights, is told of nothing else', async (t) => {
  const fleet = openFleet()
  fleet.change(0, 3)
  const some = (await fleet.filters(0).installLogs({ ...LOGS, from: 5, to: 6 })) ?? ''
  fleet.change(0, 5)
  t.same(
    await poll(fleet.filters(1), some),
    fleet.chain.names.slice(4, 6).map((name) => `+${name}`),
  )
})

t.test(
  'a member that lacks a block of an answer gives it back instead of leaving the block out',
  async (t) => {
    const fleet = openFleet()
    const handle = (await fleet.filters(0).installLogs(LOGS)) ?? ''
    fleet.change(0, 2)
    const { filters } = fleet.members[0] as Member
    const behind = new FleetFilters({
      own: (fleet.members[1] as Member).own,
      heads: CURRENT,
      chain: { head: () => fleet.chain.head(), hashByNumber: () => null, storedHeader: () => null },
      ask: (call) => filters.answer(call),
      onFailure: () => t.fail(),
    })
    await t.rejects(Promise.resolve(behind.poll(handle)), { code: 'NoMember' })
    for (let turn = 0; turn < 4; turn += 1) await setImmediate()
    t.same(
      await poll(filters, handle),
      fleet.chain.names.map((name) => `+${name}`),
    )
  },
)

t.test('an owner that does not answer is an error that says so', async (t) => {
  const fleet = openFleet()
  const away = new FleetFilters({
    own: (fleet.members[0] as Member).own,
    heads: CURRENT,
    chain: fleet.chain,
    ask: () => Promise.reject(new Error('no answer')),
    onFailure: () => t.fail(),
  })
  const handle = (await fleet.filters(1).installBlocks()) ?? ''
  for (const action of [away.poll(handle), away.content(handle), away.uninstall(handle)]) {
    await t.rejects(Promise.resolve(action), {
      code: 'NoMember',
      message: /the member that has this filter is away/,
    })
  }
})

t.test('calls and filters of a stranger that do not parse are refused', async (t) => {
  const { filters } = openFleet().members[0] as Member
  for (const wrong of [
    '',
    '00',
    'c1',
    '93a4706f6c6c01',
    '92a4706f6c6cc40101',
    '92a3666f6fc41000000000000000000000000000000000',
  ]) {
    await t.rejects(filters.answer(Buffer.from(wrong, 'hex')), { name: 'FleetError' }, wrong)
    await t.rejects(filters.adopt(Buffer.from(wrong, 'hex')), wrong)
  }
  await t.rejects(filters.answer(Buffer.alloc(2000)), { code: 'TooLarge' })
})

t.test('an owner that is behind the head of the member that asks, or held, tells nothing yet', async (t) => {
  const fleet = openFleet()
  const { own } = fleet.members[0] as Member
  const asked: string[] = []
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const common = { own, chain: fleet.chain, onFailure: () => t.fail() }
  const owner = new FleetFilters({
    ...common,
    ask: () => Promise.reject(new Error('it is the owner')),
    heads: {
      applied: { revision: 5, hash: Buffer.alloc(32, 5) },
      begin: async (revision) => {
        asked.push(`begin ${revision}`)
        await opened
      },
      caughtUp: async () => {
        asked.push('caught up')
      },
    },
  })
  const others = (heads: AppliedHeads) =>
    new FleetFilters({
      ...{ ...common, heads, own: (fleet.members[1] as Member).own },
      ask: (call) => owner.answer(call),
    })
  const other = others({ ...CURRENT, applied: { revision: 6, hash: Buffer.alloc(32, 6) } })
  const blocks = (await own.install('blocks', null, null)) ?? ''
  const pending = (await own.install('pending', null, null)) ?? ''
  let isAnswered = false
  const polled = Promise.resolve(other.poll(blocks)).finally(() => {
    isAnswered = true
  })
  await setImmediate()
  t.equal(isAnswered, false)
  t.same(asked, ['begin 6'])
  // What comes meanwhile is of the answer.
  fleet.change(0, 2)
  open()
  const changes = await polled
  t.equal(changes?.kind === 'hashes' && changes.hashes.length, 2)
  t.match(await other.poll(pending), { kind: 'hashes' })
  t.match(await other.content(pending), { kind: 'hashes' })
  t.match(await owner.poll(pending), { kind: 'hashes' })
  t.same(asked, ['begin 6', 'caught up', 'begin 6', 'caught up', 'begin 6', 'caught up'])

  const away: AppliedHeads = { ...CURRENT, begin: () => Promise.reject(new Error('away')) }
  fleet.change(0, 1)
  const held = new FleetFilters({ ...common, ask: () => t.fail() as never, heads: away })
  const asking = new FleetFilters({
    ...{ ...common, heads: CURRENT, own: (fleet.members[1] as Member).own },
    ask: (call) => held.answer(call),
  })
  await t.rejects(Promise.resolve(asking.poll(blocks)), { code: 'NoMember', message: /is behind this one/ })
  const kept = await owner.poll(blocks)
  t.equal(kept?.kind === 'hashes' && kept.hashes.length, 1, 'a poll that was refused did not happen')

  const foreign = others({ ...CURRENT, applied: { revision: 5, hash: Buffer.alloc(32, 9) } })
  await t.rejects(Promise.resolve(foreign.poll(blocks)), { code: 'NoMember' }, 'another log')
  const joining = others({ ...CURRENT, applied: null })
  await t.rejects(Promise.resolve(joining.poll(blocks)), { code: 'NoMember' }, 'no head yet')
})
