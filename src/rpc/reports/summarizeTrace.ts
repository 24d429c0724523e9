import { CONSOLE_ADDRESS } from '../../abi/consoleLog.ts'
import type { ExecutionSummary } from './executionReports.ts'

/** Calls to the console that one execution is shown with. */
const MAX_CONSOLE_CALLS = 1000
/** Selector and its 0x in hex digits. */
const SELECTOR_DIGITS = 10
const REVERT = 'execution reverted'

/** A call in a trace of the form `calls`. */
interface TracedFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly gasUsed?: string
  readonly input?: string
  readonly output?: string
  readonly error?: string
  readonly calls?: readonly TracedFrame[]
}

/** A summary without the code of contracts, and whose code names them. */
export type TraceSummary = Omit<ExecutionSummary, 'contracts'> & { readonly accounts: readonly string[] }

/** Sums up a trace of the form `calls`, given as its JSON text. */
export function summarizeTrace(text: string): TraceSummary {
  const top = JSON.parse(text) as TracedFrame
  const isCreation = top.type.startsWith('CREATE')
  const to = isCreation ? null : (top.to ?? null)
  const error = top.error ?? null
  const { inputs, left } = consoleInputs(top)
  const implementation = implementationOf(top)
  return {
    from: top.from,
    to,
    created: isCreation && error === null ? (top.to ?? null) : null,
    value: BigInt(top.value ?? 0),
    input: top.input ?? '0x',
    gasUsed: BigInt(top.gasUsed ?? 0),
    error,
    isRevert: error === REVERT,
    output: top.output ?? '0x',
    console: inputs,
    moreConsole: left,
    accounts: [...(to === null ? [] : [to]), ...(implementation === null ? [] : [implementation])],
  }
}

/** Data of the calls to the console in the order in which they were made. */
function consoleInputs(top: TracedFrame): { inputs: string[]; left: number } {
  const inputs: string[] = []
  let left = 0
  const open = [top]
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    if (frame.to === CONSOLE_ADDRESS) {
      if (inputs.length < MAX_CONSOLE_CALLS) inputs.push(frame.input ?? '0x')
      else left += 1
    }
    for (const call of (frame.calls ?? []).toReversed()) open.push(call)
  }
  return { inputs, left }
}

/** The account whose code a proxy runs for a call: the first one that it hands the same call on to. */
function implementationOf({ calls = [], input = '0x' }: TracedFrame): string | null {
  const selector = input.slice(0, SELECTOR_DIGITS)
  if (selector.length < SELECTOR_DIGITS) return null
  const handedOn = calls.find(
    ({ type, input: given }) => type === 'DELEGATECALL' && given?.startsWith(selector) === true,
  )
  return handedOn?.to ?? null
}
