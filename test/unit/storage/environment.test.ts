import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { blockKey } from '../../../src/chain/tables/blockKey.ts'
import {
  addToHeight,
  readCanonicalHash,
  readHeight,
  setCanonical,
} from '../../../src/chain/tables/heights.ts'
import { checkIdentity, readHead, writeHead, writeIdentity } from '../../../src/chain/tables/metadata.ts'
import {
  readFiledHeight,
  readPosition,
  removePosition,
  writePosition,
} from '../../../src/chain/tables/totalDifficulty.ts'
import { addOccurrences, readOccurrences } from '../../../src/chain/tables/transactionIndex.ts'
import { ChainEnvironment } from '../../../src/storage/chainEnvironment.ts'
import { CHAIN_FORMATS } from '../../../src/storage/formats/chainFormat.ts'
import { TABLE_NAMES, TABLES } from '../../../src/storage/tables.ts'

const A = Buffer.alloc(32, 0xaa)
const B = Buffer.alloc(32, 0xbb)

function open(t: Test): ChainEnvironment {
  const environment = new ChainEnvironment(t.testdir())
  t.teardown(() => environment.close())
  return environment
}

t.test('table numbers are different', (t) => {
  t.equal(new Set(Object.values(TABLES)).size, TABLE_NAMES.length)
  t.end()
})

t.test('a transaction is seen whole or not at all', (t) => {
  const environment = open(t)
  environment.transaction((writer) => {
    writer.put('headers', A, Buffer.from('header'))
    t.equal(writer.get('headers', A)?.toString(), 'header', 'it sees its own writes')
  })
  t.throws(() =>
    environment.transaction((writer) => {
      writer.put('headers', B, Buffer.from('lost'))
      writer.remove('headers', A)
      throw new Error('no')
    }),
  )
  t.equal(environment.get('headers', A)?.toString(), 'header')
  t.equal(environment.get('headers', B), undefined)
  t.end()
})

t.test('a snapshot stays as it was', (t) => {
  const environment = open(t)
  const snapshot = environment.snapshot()
  environment.transaction((writer) => writer.put('headers', A, Buffer.from('new')))
  t.equal(snapshot.get('headers', A), undefined)
  t.equal(environment.get('headers', A)?.toString(), 'new')
  snapshot.release()
  t.end()
})

t.test('another thread reads what was committed', async (t) => {
  const folder = t.testdir()
  const environment = new ChainEnvironment(folder)
  t.teardown(() => environment.close())
  environment.transaction((writer) => writer.put('headers', A, Buffer.alloc(10_000, 1)))
  const worker = new Worker(new URL('../../support/storageReaderThread.ts', import.meta.url), {
    workerData: { folder, key: A },
  })
  const [length] = (await once(worker, 'message')) as [number]
  t.equal(length, 10_000)
  environment.transaction((writer) => writer.put('headers', A, Buffer.alloc(5, 1)))
  worker.postMessage('again')
  const [second] = (await once(worker, 'message')) as [number]
  t.equal(second, 5)
  await once(worker, 'exit')
})

t.test('the moment that a thread holds ends with the thread, and its space is used again', async (t) => {
  const folder = t.testdir()
  const environment = new ChainEnvironment(folder)
  t.teardown(() => environment.close())
  /** Bytes by which the file grows when a value is written again and again. */
  const growth = () => {
    const before = environment.stats().usedBytes
    for (let count = 0; count < 200; count += 1) {
      environment.transaction((writer) => writer.put('headers', A, Buffer.alloc(10_000, count)))
    }
    return environment.stats().usedBytes - before
  }
  growth()
  const worker = new Worker(new URL('../../support/storageReaderThread.ts', import.meta.url), {
    workerData: { folder, key: A, holds: true },
  })
  await once(worker, 'message')
  t.ok(growth() > 200 * 10_000, 'nothing of what it may read is written over')
  await worker.terminate()
  growth()
  t.ok(growth() < 20 * 10_000)
})

t.test('a height lists its blocks, the canonical one first', (t) => {
  const environment = open(t)
  environment.transaction((writer) => {
    addToHeight(writer, 7, A)
    addToHeight(writer, 7, B)
    addToHeight(writer, 7, A)
  })
  t.same(readHeight(environment, 7), [
    { hash: A, canonical: false },
    { hash: B, canonical: false },
  ])
  t.equal(readCanonicalHash(environment, 7), undefined)
  environment.transaction((writer) => setCanonical(writer, 7, B))
  t.same(readCanonicalHash(environment, 7), B)
  t.same(readHeight(environment, 7)[0], { hash: B, canonical: true })
  environment.transaction((writer) => setCanonical(writer, 7, null))
  t.equal(readCanonicalHash(environment, 7), undefined)
  t.same(readHeight(environment, 8), [])
  t.end()
})

t.test('a transaction has every place it was connected at', (t) => {
  const environment = open(t)
  environment.transaction((writer) => {
    addOccurrences(writer, A, [B])
    addOccurrences(writer, B, [A, B])
  })
  t.same(readOccurrences(environment, B), [
    { blockHash: A, index: 0 },
    { blockHash: B, index: 1 },
  ])
  t.same(readOccurrences(environment, Buffer.alloc(32)), [])
  t.end()
})

t.test('values of every size are copied as they are read, where they have room', (t) => {
  const environment = open(t)
  const sizes = [0, 1, 500, 10_000, 40_000, 70_000, 100_000, 1_000_000, 3_000_000]
  const key = (size: number) => blockKey({ number: size, hash: A })
  const value = (size: number) => Buffer.alloc(size, `${size}.`)
  environment.transaction((writer) => {
    for (const size of sizes) writer.append('receipts', key(size), value(size))
  })
  const snapshot = environment.snapshot()
  t.teardown(() => snapshot.release())
  for (const reader of [environment, snapshot]) {
    // Up and down again: the library's own memory has grown by then.
    for (const size of [...sizes, ...sizes.toReversed()]) {
      const target = Buffer.alloc(size + 2, 0xff)
      t.equal(reader.copy('receipts', key(size), target, 1), size)
      t.ok(target.subarray(1, size + 1).equals(value(size)), `${size} bytes`)
      t.same([target[0], target[size + 1]], [0xff, 0xff], 'and nothing beside them')
      t.ok(reader.get('receipts', key(size))?.equals(value(size)), 'a read after it is whole')
      const small = Buffer.alloc(size)
      t.equal(reader.copy('receipts', key(size), small, 1), size, 'the length without room')
      if (size > 0) t.ok(small.equals(Buffer.alloc(size)), 'nothing is copied then')
    }
    t.equal(reader.copy('receipts', key(7), Buffer.alloc(9), 0), -1)
  }
  t.end()
})

t.test('what is appended out of order, or again, is put where it belongs', (t) => {
  const environment = open(t)
  const keys = [3, 1, 7, 5, 7].map((number) => blockKey({ number, hash: A }))
  environment.transaction((writer) => {
    keys.forEach((key, index) => {
      writer.append('receipts', key, Buffer.alloc(1500, index))
    })
  })
  t.same(
    [...environment.entries('receipts')].map(({ key, value }) => [key[7], value.length, value[0]]),
    [
      [1, 1500, 1],
      [3, 1500, 0],
      [5, 1500, 3],
      [7, 1500, 4],
    ],
  )
  t.end()
})

t.test('a position is of a connected block, its height stays', (t) => {
  const environment = open(t)
  environment.transaction((writer) => {
    writePosition(writer, A, { height: 5, totalDifficulty: 0n })
    writePosition(writer, B, { height: 6, totalDifficulty: 9n })
    removePosition(writer, B)
  })
  t.same(readPosition(environment, A), { height: 5, totalDifficulty: 0n })
  t.equal(readPosition(environment, B), undefined)
  t.equal(readFiledHeight(environment, B), 6)
  t.end()
})

t.test('total difficulties have any size', (t) => {
  const environment = open(t)
  const position = { height: 8_804_200, totalDifficulty: 2n ** 90n + 1n }
  environment.transaction((writer) => writePosition(writer, A, position))
  t.same(readPosition(environment, A), position)
  t.equal(readPosition(environment, B), undefined)
  t.end()
})

t.test('a store knows its format and its chain', (t) => {
  const environment = open(t)
  t.equal(checkIdentity(environment, A), false, 'new')
  environment.transaction((writer) => {
    writeIdentity(writer, A)
    writeHead(writer, A)
  })
  t.equal(checkIdentity(environment, A), true)
  t.same(readHead(environment), A)
  t.throws(() => checkIdentity(environment, B), { code: 'STORAGE_NETWORK' })
  for (const [format, code] of [
    [CHAIN_FORMATS.current + 1, 'STORAGE_NEWER'],
    [3, 'STORAGE_OLDER'],
    [2, 'STORAGE_FORMAT'],
  ] as const) {
    environment.transaction((writer) => writer.put('metadata', Buffer.from('format'), Buffer.from([format])))
    t.throws(() => checkIdentity(environment, A), { code })
  }
  t.end()
})
