import { parseArgs } from 'node:util'
import { readNamedBuilds } from '../namedBuilds.ts'

export const SENDS_HELP = `bench -- sends: what a send costs, durable before its answer, by turns beside other builds, anvil and geth, by thread, and
by function of the threads that run JavaScript; writes bench/results/sends.{md,json}

  --before NAME=DIR   another build: a folder with dist/ and native/addon/; may be repeated
  --accounts N        senders (default 1000)
  --per-account N     transactions of each in a turn (default 12)
  --connections N     of the closed loop (default 64)
  --runs N            turns that count, after one that warms up (default 7)
  --fresh             nodes that have just started in every turn, which is the first load that they get
  --instant           a block as soon as something can be mined, in place of one every second
  --profile           one turn more of each build under perf, where it is installed: its functions by thread
  --alone             without anvil and geth`

/** Options of `bench -- sends`. */
export interface SendsOptions {
  readonly before: readonly (readonly [name: string, folder: string])[]
  readonly accounts: number
  readonly perAccount: number
  readonly connections: number
  readonly runs: number
  /** True for nodes that are started for each turn. */
  readonly fresh: boolean
  readonly instant: boolean
  readonly profile: boolean
  readonly alone: boolean
}

/** @throws Error for what is no option, and for a build without a name */
export function readSendsOptions(args: string[]): SendsOptions {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: 'string', multiple: true, default: [] },
      accounts: { type: 'string', default: '1000' },
      'per-account': { type: 'string', default: '12' },
      connections: { type: 'string', default: '64' },
      runs: { type: 'string', default: '7' },
      fresh: { type: 'boolean', default: false },
      instant: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
    },
  })
  return {
    before: readNamedBuilds(values.before),
    accounts: Number(values.accounts),
    perAccount: Number(values['per-account']),
    connections: Number(values.connections),
    runs: Number(values.runs),
    fresh: values.fresh,
    instant: values.instant,
    profile: values.profile,
    alone: values.alone,
  }
}
