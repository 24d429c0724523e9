import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import t from 'tap'
import { makeLockFile } from '../../../src/storage/lockFile.ts'

t.test('every block of the table of readers has its place on disk', async (t) => {
  const path = t.testdir()
  makeLockFile(path)
  const root = open({ path, noSubdir: false, maxReaders: 1022 })
  t.teardown(() => root.close())
  await root.put('key', 1)
  const lock = join(path, 'lock.mdb')
  const { size, blocks } = statSync(lock)
  t.ok(blocks * 512 >= size, `${blocks * 512} of ${size} bytes`)
  t.ok((root.getStats() as { maxReaders: number }).maxReaders >= 1022)
  const before = readFileSync(lock)
  makeLockFile(path)
  t.same(readFileSync(lock), before, 'one that is there stays as it is')
})
