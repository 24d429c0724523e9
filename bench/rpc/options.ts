import { parseArgs } from 'node:util'

export const SECTIONS = ['closed', 'open', 'subscribers', 'send', 'workers', 'sweep'] as const

export type SectionName = (typeof SECTIONS)[number]

export interface RpcOptions {
  readonly peers: readonly string[]
  readonly only: readonly string[] | null
  readonly sections: ReadonlySet<SectionName>
  readonly seconds: number
  readonly runs: number
  readonly warmUpSeconds: number
  readonly connections: number
  readonly sweep: readonly number[]
  readonly openConnections: number
  readonly share: number
  readonly transfers: number
  readonly accounts: number
  readonly sparseBlocks: number
  readonly senders: number
  readonly subscribers: readonly number[]
  readonly events: number
  readonly alone: boolean
  readonly cacheOff: boolean
}

export const RPC_HELP = `bench -- rpc: the same load on this node, anvil, geth and others by turns; writes bench/results/rpc.{md,json,svg}

  --peer NAME=URL       a node that runs already, e.g. RSKj; may be repeated; NAME=URL,URL with a WebSocket address
  --only TEXT           only workloads whose name contains the text; may be repeated
  --sections LIST       of closed,open,subscribers,send,workers,sweep (default: all but sweep)
  --seconds N           length of one measurement (default 1)
  --runs N              measurements of each node and workload; the median counts (default 3)
  --warm-up N           seconds of load on each node before its first measurement (default 0.5)
  --connections N       of the closed loop (default 64)
  --sweep LIST          numbers of connections that the section sweep compares (default 16,64,128,256)
  --open-connections N  of the open loop (default 64)
  --share N             rate of the open loop, as a part of the peak (default 0.5)
  --transfers N         blocks with a token transfer (default 1000)
  --accounts N          accounts with funds and tokens (default 2000)
  --sparse-blocks N     blocks with a log here and there; 0 leaves the long searches out (default 10000)
  --senders N           accounts that send twelve transactions each (default 250)
  --subscribers LIST    numbers of subscribers (default 1000,10000)
  --events N            notifications of each (default 5)
  --alone               no peers
  --no-cache-off        leaves out this node without its cache of answers

anvil and geth take part where they are installed: on the path, or named in RHIZOME_BENCH_ANVIL and RHIZOME_BENCH_GETH.`

export function readRpcOptions(args: string[]): RpcOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      peer: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true },
      sections: { type: 'string', default: SECTIONS.filter((name) => name !== 'sweep').join(',') },
      seconds: { type: 'string', default: '1' },
      runs: { type: 'string', default: '3' },
      'warm-up': { type: 'string', default: '0.5' },
      connections: { type: 'string', default: '64' },
      sweep: { type: 'string', default: '16,64,128,256' },
      'open-connections': { type: 'string', default: '64' },
      share: { type: 'string', default: '0.5' },
      transfers: { type: 'string', default: '1000' },
      accounts: { type: 'string', default: '2000' },
      'sparse-blocks': { type: 'string', default: '10000' },
      senders: { type: 'string', default: '250' },
      subscribers: { type: 'string', default: '1000,10000' },
      events: { type: 'string', default: '5' },
      alone: { type: 'boolean', default: false },
      'cache-off': { type: 'boolean', default: true },
    },
  })
  const sections = values.sections.split(',').map((name) => {
    const known = SECTIONS.find((section) => section === name)
    if (known === undefined) throw new Error(`--sections: ${SECTIONS.join(',')} expected, not ${name}`)
    return known
  })
  return {
    peers: values.peer,
    only: values.only ?? null,
    sections: new Set(sections),
    seconds: Number(values.seconds),
    runs: Number(values.runs),
    warmUpSeconds: Number(values['warm-up']),
    connections: Number(values.connections),
    sweep: values.sweep.split(',').map(Number),
    openConnections: Number(values['open-connections']),
    share: Number(values.share),
    transfers: Number(values.transfers),
    accounts: Number(values.accounts),
    sparseBlocks: Number(values['sparse-blocks']),
    senders: Number(values.senders),
    subscribers: values.subscribers.split(',').map(Number),
    events: Number(values.events),
    alone: values.alone,
    cacheOff: values['cache-off'],
  }
}
