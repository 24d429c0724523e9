import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../observe/logger.ts'
import { describeHalt, type Halt, haltFields } from '../../sync/halt/halt.ts'

/** File below the data directory that says what keeps the chain from going on. */
const HALT_FILE = 'refused-block.json'

/** The file that says why the chain does not go on, for whoever has to find out whose fault it is. */
export class HaltFile {
  readonly #path: string
  readonly #log: Logger

  /** Removes what an earlier run left: this one has to meet it again. */
  constructor(dataDir: string, log: Logger) {
    this.#path = join(dataDir, HALT_FILE)
    this.#log = log
    this.write(null)
  }

  /** Writes the halt, or removes the file when there is none. A disk that takes no writes is logged. */
  write(halt: Halt | null): void {
    try {
      if (halt === null) {
        rmSync(this.#path, { force: true })
        return
      }
      const record = { ...haltFields(halt), text: describeHalt(halt), time: new Date().toISOString() }
      writeFileSync(this.#path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
      this.#log.info({ path: this.#path }, 'a file says what keeps the chain from going on')
    } catch (error) {
      this.#log.error({ err: error, path: this.#path }, 'the file of a halt cannot be written')
    }
  }
}
