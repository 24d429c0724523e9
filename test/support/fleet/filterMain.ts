import { decodeRows, encodeRows } from '../../../src/fleet/filters/filterRows.ts'
import { OwnFilters } from '../../../src/fleet/filters/ownFilters.ts'
import { FilterStore } from '../../../src/storage/filters/filterStore.ts'
import { FakeFleetChain } from './fakeFleetChain.ts'

/** What the parent says. */
export type FilterOrder =
  | { readonly kind: 'change'; readonly changes: readonly (readonly [number, number])[] }
  | { readonly kind: 'install' }
  /** `hang`: says so and goes no further before, or after, the position is on disk. */
  | { readonly kind: 'poll'; readonly id: string; readonly hang: Hang }
  /** Gives all filters away; answers with them. `hang` as with a poll: before, or after, they are gone from disk. */
  | { readonly kind: 'handOut'; readonly hang: Hang }
  /** Takes filters over. */
  | { readonly kind: 'adopt'; readonly rows: string; readonly hang: Hang }

export type Hang = 'before' | 'after' | null

// Run as a process of its own, which is killed: the filters of a member over a scripted chain.
const [dataDir = ''] = process.argv.slice(2)
const chain = new FakeFleetChain()
const store = FilterStore.open({ dataDir, onReset: () => process.exit(1) })
let hang: Hang = null
const stop = () => {
  process.send?.('hangs')
  return new Promise<void>(() => undefined)
}
const around = async (write: () => Promise<void>) => {
  if (hang === 'before') await stop()
  await write()
  if (hang === 'after') await stop()
}
const filters = new OwnFilters({
  number: () => 1,
  store: {
    rows: () => store.rows(),
    put: (rows) => around(() => store.put(rows)),
    remove: (ids) => around(() => store.remove(ids)),
    move: (id, position) => around(() => store.move(id, position)),
  },
  chain,
  history: { between: async () => [] },
  limits: { timeout: 1e9, most: 100 },
  onFailure: () => process.exit(1),
})
process.on('message', (order: FilterOrder) => void obey(order))
process.send?.('ready')

async function obey(order: FilterOrder): Promise<void> {
  switch (order.kind) {
    case 'change':
      for (const [back, forward] of order.changes) chain.reorganise(back, forward)
      filters.headChanged()
      process.send?.(chain.names)
      return
    case 'install':
      process.send?.(await filters.install('logs', NO_CRITERIA, null))
      return
    case 'handOut':
      hang = order.hang
      process.send?.(encodeRows(await filters.handOut((bytes) => [...bytes].length)).toString('base64'))
      return
    case 'adopt':
      hang = order.hang
      process.send?.(await filters.adopt(decodeRows(Buffer.from(order.rows, 'base64'))))
      return
    case 'poll': {
      hang = order.hang
      const changes = await filters.poll(order.id)
      const events = changes?.kind === 'logs' ? changes.blocks : null
      process.send?.(
        events?.map(({ hash, removed }) => `${removed ? '-' : '+'}${hash.toString('latin1')}`) ?? 'gone',
      )
    }
  }
}

const NO_CRITERIA = {
  criteria: { addresses: [], topics: [] },
  from: null,
  to: null,
  blockHash: null,
  query: '{}',
}
