import type { CallReport, FailedCall } from '../../rpc/reports/executionReports.ts'

/** Calls that are kept. */
const MAX_CALLS = 100
/** Bytes of all kept calls together, about. */
const MAX_BYTES = 1024 * 1024
/** Bytes of a call beside its data, about. */
const CALL_BYTES = 1024
/** Hex digits of input or return data that are kept: what decodes them needs all, who only looks needs few. */
const MAX_DATA_DIGITS = 16 * 1024
/** Hex digits of everything that one call printed. */
const MAX_CONSOLE_DIGITS = 64 * 1024

/** The last calls and estimates that failed, in memory: no block tells of them. */
export class FailedCalls {
  /** Oldest first. */
  readonly #calls: FailedCall[] = []
  #bytes = 0
  #count = 0

  /** Keeps a call that failed, and takes no notice of one that did not. */
  add(report: CallReport): void {
    const { summary, method, block, gasLimit } = report
    if (summary.error === null) return
    const printed = printedWithin(summary.console)
    this.#count += 1
    const call = {
      ...{ number: this.#count, time: Math.floor(Date.now() / 1000), method, block, gasLimit },
      ...{ from: summary.from, to: summary.to, value: summary.value, gasUsed: summary.gasUsed },
      implementation: summary.contracts[1]?.address ?? null,
      input: cut(summary.input),
      error: summary.error,
      output: summary.isRevert ? cut(summary.output) : null,
      console: printed,
      moreConsole: summary.moreConsole + summary.console.length - printed.length,
    }
    this.#calls.push(call)
    this.#bytes += bytesOf(call)
    while (this.#calls.length > MAX_CALLS || this.#bytes > MAX_BYTES) {
      const oldest = this.#calls.shift()
      if (oldest === undefined) return
      this.#bytes -= bytesOf(oldest)
    }
  }

  /** The kept calls, newest first. */
  list(): readonly FailedCall[] {
    return this.#calls.toReversed()
  }
}

function cut(data: string): string {
  return data.slice(0, 2 + MAX_DATA_DIGITS)
}

/** The first calls to the console, as many as there is space for. */
function printedWithin(console: readonly string[]): string[] {
  let digits = 0
  const end = console.findIndex((data) => {
    digits += data.length
    return digits > MAX_CONSOLE_DIGITS
  })
  return console.slice(0, end === -1 ? console.length : end)
}

function bytesOf({ input, output, console, error }: FailedCall): number {
  const texts = [input, output ?? '', error, ...console]
  return CALL_BYTES + texts.reduce((sum, text) => sum + text.length, 0)
}
