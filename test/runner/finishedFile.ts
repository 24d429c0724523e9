import { Readable } from 'node:stream'
import { type Base, TapFile } from 'tap'
import type { FileResult } from './fileResult.ts'

/** What tap gives a test, and the result that this one is of. */
export interface FinishedFileOptions {
  readonly result: FileResult
}

/** The result of a test file as a test of the run, with the line, the tests and the time of the file. */
export class FinishedFile extends TapFile {
  readonly #failure: string | null

  constructor({ result, ...options }: FinishedFileOptions & ConstructorParameters<typeof Base>[0]) {
    super({ ...options, name: result.path, buffered: true, tapStream: Readable.from([result.output]) })
    this.#failure = result.failure
  }

  override main(done: () => void): void {
    super.main(() => {
      if (this.#failure !== null) {
        Object.assign(this.options, { failure: this.#failure })
        this.parser.ok = false
        if (this.results !== undefined) this.results.ok = false
      }
      done()
    })
  }
}
