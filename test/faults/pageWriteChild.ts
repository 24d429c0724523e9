import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'

/** Bytes of a value that has pages of its own, which come behind the last one of the file. */
const VALUE_BYTES = 100_000

/** Has a page write of a store fail, because the file may not grow, and prints why it did. */
const [folder = ''] = process.argv.slice(2)

// Ends a process that does not care.
process.on('SIGXFSZ', () => undefined)
const environment = new ChainEnvironment(folder)
const write = (key: string) =>
  environment.transaction((writer) => writer.put('metadata', Buffer.from(key), Buffer.alloc(VALUE_BYTES)))
write('first')
await environment.flushed()
const { size } = statSync(join(folder, 'data.mdb'))
const { status } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}`])
if (status !== 0) throw new Error('prlimit failed')
try {
  write('second')
} catch (error) {
  const { message, cause } = error as Error
  process.stdout.write(JSON.stringify({ message, cause: (cause as Error).message }))
}
await environment.close()
