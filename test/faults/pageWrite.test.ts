import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { LOADER, ROOT, readSources } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'

const skip = process.platform === 'linux' ? false : 'its limits are those of Linux'

t.setTimeout(120_000)

// With the rest of its message, lmdb-js writes more bytes than it has room for, and damages the heap.
t.test('what lmdb-js says of a page that cannot be written ends where it fits', { skip }, (t) => {
  const loader = LOADER
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', loader, join(ROOT, 'test/faults/pageWriteChild.ts'), testFolder(t)],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  t.same({ status, signal }, { status: 0, signal: null }, stderr)
  const { message, cause } = JSON.parse(stdout) as { message: string; cause: string }
  t.match(message, /the file may not grow \(EFBIG\)/)
  t.match(cause, /: Attempting to write page at position \d+, size \d+, blocks \d+$/)
  t.end()
})

t.test('environments of lmdb-js are opened in one place, which sees to that', (t) => {
  const openers = readSources('src').filter(({ text }) => /^import .*\bopen\w*\b.* from 'lmdb'/m.test(text))
  t.same(
    openers.map(({ path }) => path),
    ['storage/openLmdb.ts'],
  )
  t.end()
})
