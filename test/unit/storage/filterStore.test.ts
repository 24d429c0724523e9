import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { FilterPosition, StoredFilter } from '../../../src/storage/filters/filterRecord.ts'
import { decodeFilter, encodeFilter } from '../../../src/storage/filters/filterRecord.ts'
import { FilterStore } from '../../../src/storage/filters/filterStore.ts'

const position = (number: number): FilterPosition => ({
  block: { number, hash: Buffer.alloc(32, number) },
  sequence: number * 7,
})
const LOGS: StoredFilter = {
  kind: 'logs',
  start: position(3),
  logs: {
    addresses: [Buffer.alloc(20, 1)],
    topics: [[], [Buffer.alloc(32, 2), Buffer.alloc(32, 3)]],
    from: null,
    to: 70,
    blockHash: Buffer.alloc(32, 9),
    query: '{"address":"0x01"}',
  },
}
const BLOCKS: StoredFilter = { kind: 'blocks', start: position(4), logs: null }
const id = (value: number) => Buffer.alloc(16, value)

function opened(t: Test, dataDir: string) {
  const resets: string[] = []
  const store = FilterStore.open({ dataDir, onReset: (reason) => resets.push(reason) })
  t.teardown(() => store.close())
  return { store, resets }
}

t.test('filters and positions are there after a restart, removed ones are not', async (t) => {
  const dataDir = t.testdir({})
  const first = FilterStore.open({ dataDir, onReset: t.fail })
  await first.put([
    { id: id(1), filter: LOGS, position: LOGS.start },
    { id: id(2), filter: BLOCKS, position: BLOCKS.start },
    { id: id(3), filter: BLOCKS, position: BLOCKS.start },
  ])
  // Changes of one turn are one commit, in their order.
  await Promise.all([
    first.move(id(1), position(5)),
    first.move(id(1), position(6)),
    first.move(id(3), position(8)),
    first.remove([id(3)]),
  ])
  await first.close()
  const { store, resets } = opened(t, dataDir)
  t.same(
    [...store.rows()],
    [
      { id: id(1), filter: LOGS, position: position(6) },
      { id: id(2), filter: BLOCKS, position: BLOCKS.start },
    ],
  )
  t.same(resets, [])
})

t.test('a damaged store is begun anew, and says so', async (t) => {
  const dataDir = t.testdir({})
  const first = FilterStore.open({ dataDir, onReset: t.fail })
  await first.put([{ id: id(1), filter: BLOCKS, position: BLOCKS.start }])
  await first.close()
  truncateSync(join(dataDir, 'filters', 'data.mdb'), 4096)
  const { store, resets } = opened(t, dataDir)
  t.match(resets, [/damaged and begun anew/])
  t.same([...store.rows()], [])
})

t.test('a filter of another member that does not parse is an error', (t) => {
  t.same(decodeFilter(encodeFilter(LOGS)), LOGS)
  const plain = JSON.parse(encodeFilter(LOGS).toString()) as Record<string, unknown>
  const logs = plain['logs'] as Record<string, unknown>
  for (const wrong of [
    '{',
    'null',
    '{"kind":"logs"}',
    JSON.stringify({ ...plain, kind: 'others' }),
    JSON.stringify({ ...plain, start: 'ff' }),
    JSON.stringify({ ...plain, logs: { ...logs, addresses: ['01'] } }),
    JSON.stringify({ ...plain, logs: { ...logs, topics: 7 } }),
    JSON.stringify({ ...plain, logs: { ...logs, from: -1 } }),
    JSON.stringify({ ...plain, logs: { ...logs, query: 1 } }),
    JSON.stringify({ ...plain, kind: 'blocks' }),
  ]) {
    t.throws(() => decodeFilter(Buffer.from(wrong)), { code: 'STORAGE_CORRUPT' }, wrong)
  }
  t.end()
})
