import { bodyOf } from '../rpc/execute.ts'
import type { RequestPool } from './interface.ts'
import type { PoolAnswer, PoolRequest } from './messages.ts'
import { type BatchRunner, runBatch } from './runBatch.ts'

/** A pool without threads, for tests and tools: batches run in the calling thread, one at a time. */
export class LocalPool implements RequestPool {
  readonly capacity = 1
  readonly #runner: BatchRunner
  #last: Promise<unknown> = Promise.resolve()

  constructor(runner: BatchRunner) {
    this.#runner = runner
  }

  run(requests: readonly PoolRequest[]): Promise<readonly PoolAnswer[]> {
    const answers = this.#last.then(async () => {
      const { answers: done, block } = await runBatch(this.#runner, requests)
      const given = block && { block }
      return done.map((answer) => ({ status: answer.status, bytes: toBytes(bodyOf(answer)), ...given }))
    })
    this.#last = answers.catch(() => undefined)
    return answers
  }

  async close(): Promise<void> {
    await this.#last
  }
}

function toBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? Buffer.from(body, 'utf8') : body
}
