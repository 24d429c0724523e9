import * as fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import type { RecordLog as Log } from '../../../src/storage/recordLog.ts'

const writeAt = promisify(fs.write)
const KIND = { kind: 'log', name: 'a log', current: 2, oldest: 1 }
const records = (text: string) => text.split(' ').map((word) => Buffer.from(word))
const wordsOf = (log: Log) => log.records.map((record) => record.toString()).join(' ')

t.test('what a failed append left behind is no damage', async (t) => {
  /** What fails at present. */
  const failing = new Set<string>()
  const error = Object.assign(new Error('EIO'), { code: 'EIO' })
  type Done = (error: Error | null) => void
  const { RecordLog } = await t.mockImport<typeof import('../../../src/storage/recordLog.ts')>(
    '../../../src/storage/recordLog.ts',
    {
      'node:fs': {
        ...fs,
        // What cannot be brought to the disk may be in the file all the same.
        write: Object.assign(() => undefined, {
          [promisify.custom]: async (...args: Parameters<typeof writeAt>) => {
            const written = await writeAt(...args)
            if (failing.has('write')) throw error
            return written
          },
        }),
        ftruncate: (file: number, length: number, done: Done) =>
          failing.has('ftruncate') ? done(error) : fs.ftruncate(file, length, done),
      },
    },
  )
  for (const failures of [['write'], ['write', 'ftruncate']]) {
    const path = join(t.testdir(), 'log')
    const log = new RecordLog(path, KIND)
    await log.append(records('first'))
    for (const name of failures) failing.add(name)
    await t.rejects(log.append(records('one two three')), { code: 'EIO' }, `${failures} fails`)
    if (failures.includes('ftruncate')) {
      await t.rejects(log.append(records('five')), { code: 'EIO' }, 'nothing is written over what is left')
    }
    failing.clear()
    await log.append(records('four'))
    log.close()
    const reopened = new RecordLog(path, KIND)
    t.equal(wordsOf(reopened), 'first four')
    reopened.close()
  }
})
