import * as fs from 'node:fs'
import { readdirSync, readFileSync, statSync } from 'node:fs'
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

t.test('a file system without hard links gets it, too', async (t) => {
  for (const code of ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS']) {
    const linkSync = () => {
      throw Object.assign(new Error(code), { code })
    }
    const mocked = await t.mockImport<typeof import('../../../src/storage/lockFile.ts')>(
      '../../../src/storage/lockFile.ts',
      { 'node:fs': { ...fs, linkSync } },
    )
    const path = t.testdir()
    mocked.makeLockFile(path)
    const { size, blocks, mode } = statSync(join(path, 'lock.mdb'))
    t.ok(size > 0 && blocks * 512 >= size, code)
    t.equal(mode & 0o777, 0o600)
    t.same(readdirSync(path), ['lock.mdb'], 'nothing else is left')
  }
})
