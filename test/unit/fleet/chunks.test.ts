import { randomBytes } from 'node:crypto'
import t from 'tap'
import { ChunkAssembler, chunkHeader, parseChunkHeader, splitChunks } from '../../../src/fleet/nats/chunks.ts'

const BOUNDS = { message: 10_000, source: 20_000, total: 30_000, lifetime: 100 }

function assembler(): { readonly chunks: ChunkAssembler; readonly clock: { now: number } } {
  const clock = { now: 0 }
  return { chunks: new ChunkAssembler(BOUNDS, () => clock.now), clock }
}

t.test('a message comes together from chunks in any order, also doubled', async (t) => {
  const message = randomBytes(9500)
  const parts = splitChunks(message, 1000)
  t.equal(parts.length, 10)
  const { chunks } = assembler()
  for (const index of [3, 9, 0, 3, 1, 2, 8, 7, 6, 5]) {
    const part = parts[index] as Uint8Array
    t.equal(chunks.add('one', 'm', { index, count: 10 }, part).kind, 'waiting', String(index))
  }
  const last = chunks.add('one', 'm', { index: 4, count: 10 }, parts[4] as Uint8Array)
  t.same(last, { kind: 'complete', message })
  t.equal(chunks.held, 0)
})

t.test('an empty message is one empty chunk', async (t) => {
  const parts = splitChunks(Buffer.alloc(0), 1000)
  t.equal(parts.length, 1)
  const { chunks } = assembler()
  t.same(chunks.add('one', 'm', { index: 0, count: 1 }, parts[0] as Uint8Array), {
    kind: 'complete',
    message: Buffer.alloc(0),
  })
})

t.test('headers', async (t) => {
  t.same(parseChunkHeader(chunkHeader({ index: 2, count: 7 })), { index: 2, count: 7 })
  for (const wrong of ['', '1', '7/7', '-1/2', '0/0', '0/99999', '1/2/3', 'a/b', '0/65537']) {
    t.equal(parseChunkHeader(wrong), null, wrong)
  }
})

t.test('a message above the bound, and one that contradicts itself, is dropped whole', async (t) => {
  const { chunks } = assembler()
  chunks.add('one', 'm', { index: 0, count: 3 }, randomBytes(6000))
  t.equal(chunks.add('one', 'm', { index: 1, count: 3 }, randomBytes(6000)).kind, 'refused')
  t.equal(chunks.held, 0)
  chunks.add('one', 'n', { index: 0, count: 3 }, randomBytes(10))
  t.equal(chunks.add('one', 'n', { index: 1, count: 4 }, randomBytes(10)).kind, 'refused')
  t.equal(chunks.held, 0)
  t.equal(chunks.dropped, 2)
})

t.test('incomplete messages are dropped after their time', async (t) => {
  const { chunks, clock } = assembler()
  chunks.add('one', 'old', { index: 0, count: 2 }, randomBytes(1000))
  clock.now = 101
  chunks.add('one', 'new', { index: 0, count: 2 }, randomBytes(10))
  t.ok(chunks.held < 1000)
  t.equal(chunks.add('one', 'old', { index: 1, count: 2 }, randomBytes(1000)).kind, 'waiting')
})

t.test('a source that sends much loses its own messages, not those of others', async (t) => {
  const { chunks } = assembler()
  chunks.add('other', 'm', { index: 0, count: 2 }, Buffer.from('first '))
  for (let id = 0; id < 100; id += 1) {
    chunks.add('one', String(id), { index: 0, count: 2 }, randomBytes(5000))
    t.ok(chunks.held <= BOUNDS.source + 1000)
  }
  const whole = chunks.add('other', 'm', { index: 1, count: 2 }, Buffer.from('second'))
  t.same(whole, { kind: 'complete', message: Buffer.from('first second') })
})

t.test('tiny chunks of many messages and sources stay within the bound of all', async (t) => {
  const { chunks } = assembler()
  for (let id = 0; id < 10_000; id += 1) {
    chunks.add(`source ${id % 50}`, String(id), { index: 0, count: 60_000 }, Buffer.from([1]))
    if (chunks.held > BOUNDS.total) t.fail(`${chunks.held} bytes are held`)
  }
  t.ok(chunks.dropped > 9000)
})
