import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { ChainEnvironment } from '../../../src/storage/chainEnvironment.ts'
import { checkLmdbFile } from '../../../src/storage/lmdbFile.ts'
import { TABLES } from '../../../src/storage/tables.ts'

const PAGE = 4096
/** Where the meta pages begin, and what was noted of the last flush. */
const FIRST = 0
const SECOND = PAGE
const FLUSHED = PAGE / 2
/** Places in them, and their length. */
const FREE_TREE_FLAGS = 52
const TRANSACTION = 152
const BOOT = 160
const META_BYTES = 168
const UNFLUSHED = 0x1000
const KEY = Buffer.alloc(32, 1)

/**
 * A store as it was after some of its transactions, the last of which needs more pages than there were. They are
 * written as lmdb-js makes tables: the meta page before what it describes is flushed.
 */
async function states(t: Test): Promise<{ early: Buffer; before: Buffer; after: Buffer }> {
  const path = t.testdir()
  await new ChainEnvironment(path).close()
  const options = { keyEncoding: 'binary', encoding: 'binary' } as const
  const root = open<Buffer, Buffer>({ path, noSubdir: false, maxDbs: 64, cache: false, ...options })
  const table = root.openDB<Buffer, Buffer>({ name: `${TABLES.headers}`, ...options })
  const write = (value: Buffer) => {
    table.putSync(KEY, value)
    return readFileSync(join(path, 'data.mdb'))
  }
  const early = write(Buffer.from('early'))
  for (let count = 0; count < 3; count += 1) write(Buffer.from(`before ${count}`))
  const before = write(Buffer.from('before'))
  const after = write(Buffer.alloc(64 * PAGE, 2))
  await root.close()
  return { early, before, after }
}

/** Copies a meta page to its place in another file. */
function copyMeta(from: Buffer, to: Buffer, at: number): void {
  from.copy(to, at, at, at + META_BYTES)
}

/** Has it that the system was started anew since a file was written. */
function startAnew(file: Buffer): void {
  for (const at of [FIRST, SECOND, FLUSHED]) file.writeBigUInt64LE(1n, at + BOOT)
}

function place(t: Test, name: string, file: Buffer): { folder: string; path: string } {
  const folder = join(t.testdirName, name)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'data.mdb')
  writeFileSync(path, file)
  return { folder, path }
}

t.test('a store is opened that lmdb-js goes back in after a cut of the power', async (t) => {
  const { early, before, after } = await states(t)
  const newest =
    after.readBigUInt64LE(TRANSACTION) > after.readBigUInt64LE(SECOND + TRANSACTION) ? FIRST : SECOND
  const older = newest === FIRST ? SECOND : FIRST
  t.ok(after.length > before.length)
  t.equal(after.readUInt16LE(newest + FREE_TREE_FLAGS) & UNFLUSHED, UNFLUSHED)
  t.equal(after.readUInt32LE(FLUSHED + 24), 0, 'no magic number stands before what was flushed')
  t.equal(before.readBigUInt64LE(FLUSHED + TRANSACTION) + 1n, after.readBigUInt64LE(newest + TRANSACTION))

  // Of the last transaction the meta page reached the disk, and neither its pages nor the length of the file.
  const short = Buffer.from(before)
  copyMeta(after, short, newest)
  t.match(
    checkLmdbFile(place(t, 'same boot', short).path, { pages: 'none' }),
    /overwritten|cut short/,
    'in the same boot',
  )
  startAnew(short)
  // Of the transactions since then one of the two meta pages reached it.
  const stale = Buffer.from(short)
  copyMeta(early, stale, older)
  startAnew(stale)
  t.ok(stale.readBigUInt64LE(newest + TRANSACTION) - stale.readBigUInt64LE(older + TRANSACTION) > 1n)
  for (const [name, file] of Object.entries({ short, stale })) {
    const { folder, path } = place(t, name, file)
    for (const pages of ['none', 'quick', 'all'] as const) t.equal(checkLmdbFile(path, { pages }), null, name)
    const environment = new ChainEnvironment(folder)
    t.equal(environment.get('headers', KEY)?.toString(), 'before', 'lmdb-js goes back to what was flushed')
    environment.transaction((writer) => writer.put('headers', KEY, Buffer.from('on')))
    await environment.close()
    t.equal(checkLmdbFile(path, { pages: 'all' }), null, 'and on from there')
  }
})

t.test('what was flushed must be whole', async (t) => {
  const { before, after } = await states(t)
  startAnew(after)
  t.equal(checkLmdbFile(place(t, 'whole', after).path, { pages: 'all' }), null)
  const cut = after.subarray(0, before.length)
  t.match(checkLmdbFile(place(t, 'cut', cut).path, { pages: 'none' }), /cut short/)
  const torn = Buffer.from(after)
  torn.fill(0x5a, FLUSHED, FLUSHED + META_BYTES)
  t.match(checkLmdbFile(place(t, 'torn', torn).path, { pages: 'none' }), /last flush/)
})
