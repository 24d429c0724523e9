import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'

/** A loop that used up the gas of a transaction. */
interface LoopStats {
  /** `EVM`, or the name of a contract. */
  readonly subject: string
  readonly input: string
  readonly gas: number
  /** Processor time. */
  readonly seconds: number
}

const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))
const MAX_OUTPUT = 64 * 1024 * 1024
const EVM = 'EVM'
/** How much worse than the EVM a contract may be. */
const MAX_RATIO = 3
/** Loops of the EVM that are shown. */
const SHOWN_LOOPS = 12

/** `bench -- precompiles`: the highest milliseconds per million gas, by contract. */
export function benchPrecompiles(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: { only: { type: 'string', default: '' }, stats: { type: 'string' } },
  })
  const text = values.stats === undefined ? run(values.only) : readFileSync(values.stats, 'utf8')
  const loops = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LoopStats)
    .sort((left, right) => rate(right) - rate(left))
  const contracts = [...new Set(loops.map(({ subject }) => subject))].filter((subject) => subject !== EVM)
  const own = loops.filter(({ subject }) => subject === EVM)
  const worst = own[0] === undefined ? Number.NaN : rate(own[0])
  const rows = contracts.map((contract) => rowOf(contract, loops, worst))
  saveSections(
    'precompiles',
    { ...describeMachine(), releaseBuild: true },
    [
      {
        title: 'Precompiled contracts',
        note: 'The worst of all inputs that were tried, called in a loop by a contract with the gas of a block.',
        rows,
      },
      {
        title: 'The EVM itself',
        note: 'The worst loops over instructions, on a state of 100,000 accounts, 100,000 cells and 1,000 contracts.',
        rows: own.slice(0, SHOWN_LOOPS).map((loop) => ({ loop: loop.input, 'ms/Mgas': rate(loop) })),
      },
    ],
    loops,
  )
}

function rowOf(contract: string, loops: readonly LoopStats[], worst: number): Row {
  const own = loops.filter(({ subject }) => subject === contract)
  const [first] = own
  const ratio = first === undefined ? 0 : rate(first) / worst
  return {
    contract,
    'ms/Mgas': first === undefined ? '' : rate(first),
    "to the EVM's worst": Number.isNaN(ratio) ? '' : ratio,
    [`\u2264 ${MAX_RATIO}`]: Number.isNaN(ratio) ? '' : ratio <= MAX_RATIO ? 'met' : '**not met**',
    input: first?.input ?? '',
    inputs: own.length,
  }
}

/** Milliseconds per million gas. */
function rate({ gas, seconds }: LoopStats): number {
  return (seconds * 1e9) / gas
}

function run(only: string): string {
  return execFileSync('cargo', ['run', '--quiet', '--release', '-p', 'rhizome-bench', '--', 'worst', only], {
    cwd: WORKSPACE,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
