import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker } from 'node:worker_threads'
import { createLogger } from '../../src/observe/logger.ts'

/** A program whose two threads log more than any buffer takes, and then say so. */
const LINES = 2000
const logger = createLogger({ level: 'info', format: 'json' })
const logAll = () => {
  for (let line = 0; line < LINES; line += 1) logger.info({ line }, 'a line of a usual length'.repeat(4))
}

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url))
  await once(worker, 'exit')
  process.stdout.write('the worker has logged, ')
  logAll()
  process.stdout.write('the main thread has logged\n')
} else {
  logAll()
}
