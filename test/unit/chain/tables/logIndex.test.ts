import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { findLogHeights, type LogConditions, LogIndexChanges } from '../../../../src/chain/tables/logIndex.ts'
import { clearInChunk, setInChunk } from '../../../../src/chain/tables/logIndexChunk.ts'
import { addressTerm, type LogTerm, topicTerm } from '../../../../src/chain/tables/logTerm.ts'
import { ChainEnvironment } from '../../../../src/storage/chainEnvironment.ts'

const folder = mkdtempSync(join(tmpdir(), 'rhizome-log-index-'))
const environment = new ChainEnvironment(join(folder, 'store'))
t.teardown(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

function clear() {
  const keys = [...environment.entries('logIndex')].map(({ key }) => key)
  environment.transaction((writer) => {
    for (const key of keys) writer.remove('logIndex', key)
  })
}

/** Answers of a plain list of the blocks' terms. */
function scan(
  blocks: ReadonlyMap<number, readonly LogTerm[]>,
  conditions: LogConditions,
  from: number,
  to: number,
) {
  return [...blocks]
    .filter(([height]) => height >= from && height <= to)
    .filter(([, terms]) => conditions.every((any) => any.some((term) => terms.includes(term))))
    .map(([height]) => height)
    .sort((a, b) => a - b)
}

t.test('chunks keep any set of offsets, as a list and as a bitmap', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 600 })), { maxLength: 900 }),
      (changes) => {
        let chunk: Buffer | undefined
        const expected = new Set<number>()
        for (const [adds, offset] of changes) {
          if (adds) expected.add(offset)
          else expected.delete(offset)
          chunk = adds ? setInChunk(chunk, offset) : chunk && clearInChunk(chunk, offset)
          if (chunk !== undefined && chunk.length > 512) return false
        }
        clear()
        if (chunk !== undefined) {
          const value = chunk
          const key = Buffer.concat([Buffer.from(term(0), 'latin1'), Buffer.alloc(4)])
          environment.transaction((writer) => writer.put('logIndex', key, value))
        }
        const found = [...findLogHeights(environment, [[term(0)]], 0, 4095)].flat()
        return (
          JSON.stringify(found) === JSON.stringify([...expected].sort((a, b) => a - b)) &&
          (chunk === undefined) === (expected.size === 0)
        )
      },
    ),
    { numRuns: 60 },
  )
})

const TERMS = Array.from({ length: 12 }, (_, index) => term(index))

function term(index: number): LogTerm {
  const topic = Buffer.alloc(32)
  topic.writeUInt32BE(index, 28)
  return index % 3 === 0 ? addressTerm(topic.subarray(12)) : topicTerm(index % 3, topic)
}

/** A step of a chain: some blocks are taken off the top, others put on. Gaps jump over chunk borders. */
const step = fc.record({
  retract: fc.integer({ min: 0, max: 12 }),
  enact: fc.array(
    fc.record({
      gap: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 5000 })),
      terms: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 5 }),
    }),
    { maxLength: 30 },
  ),
})

t.test('finds what a scan of the canonical blocks finds, over any reorganisations', async () => {
  const condition = fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(condition, { minLength: 1, maxLength: 3 }),
      fc.tuple(fc.nat(40_000), fc.nat(40_000)),
      fc.boolean(),
      (steps, wanted, [a, b], together) => {
        clear()
        const blocks = new Map<number, readonly LogTerm[]>()
        let changes = new LogIndexChanges()
        for (const { retract, enact } of steps) {
          for (const [height, terms] of [...blocks].slice(-retract || blocks.size).reverse()) {
            changes.remove(height, terms)
            blocks.delete(height)
          }
          for (const { gap, terms } of enact) {
            const height = Math.max(0, ...blocks.keys()) + gap
            const named = terms.map((index) => TERMS[index] ?? '')
            changes.add(height, named)
            blocks.set(height, named)
          }
          if (together) continue
          environment.transaction((writer) => changes.write(writer))
          changes = new LogIndexChanges()
        }
        environment.transaction((writer) => changes.write(writer))
        const conditions = wanted.map((any) => any.map((index) => TERMS[index] ?? ''))
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const found = [...findLogHeights(environment, conditions, from, to)].flat()
        return JSON.stringify(found) === JSON.stringify(scan(blocks, conditions, from, to))
      },
    ),
    { numRuns: 200 },
  )
})

t.test('a chain that is taken back leaves nothing', async (t) => {
  clear()
  const changes = new LogIndexChanges()
  for (let height = 1; height < 9000; height += 1) changes.add(height, TERMS)
  environment.transaction((writer) => changes.write(writer))
  t.equal(environment.count('logIndex'), TERMS.length * 3)
  for (let height = 8999; height > 0; height -= 1) changes.remove(height, TERMS)
  environment.transaction((writer) => changes.write(writer))
  t.equal(environment.count('logIndex'), 0)
})

t.test('an address and the same bytes as a topic of each position are different terms', async (t) => {
  const bytes = Buffer.alloc(32, 7)
  const terms = [addressTerm(bytes), ...[0, 1, 2, 3].map((position) => topicTerm(position, bytes))]
  t.equal(new Set(terms).size, 5)
  t.ok(terms.every((name) => Buffer.from(name, 'latin1').length === 8))
})

t.test('small numbers as topics do not collide', async (t) => {
  const seen = new Set<LogTerm>()
  for (let number = 0; number < 100_000; number += 1) {
    const topic = Buffer.alloc(32)
    topic.writeUInt32BE(number, 28)
    seen.add(topicTerm(1, topic))
  }
  t.equal(seen.size, 100_000)
})
