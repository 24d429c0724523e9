import { parseArgs } from 'node:util'
import { cliArguments } from '../../test/support/cli.ts'

export const FLEET_PARTS = ['jetstream', 'load', 'heads', 'join', 'failover', 'logs'] as const

export type FleetPart = (typeof FLEET_PARTS)[number]

export interface FleetBenchOptions {
  readonly parts: ReadonlySet<FleetPart>
  /** Of each measurement. */
  readonly seconds: number
  /** Numbers of members that the load is offered to. */
  readonly members: readonly number[]
  /** Requests a second, all members together: each rate is offered by itself. */
  readonly rates: readonly number[]
  /** Servers of NATS. */
  readonly servers: number
  /** Blocks whose heads are followed. */
  readonly heads: number
  /** Members that are killed. */
  readonly failovers: number
  /** Of the chains that a new member joins with. */
  readonly joins: readonly number[]
  /** Of the chain that is searched. */
  readonly blocks: number
  /** Compiled command line of the members. */
  readonly program: string
}

export const FLEET_HELP = `bench -- fleet: several nodes as one service over NATS, beside a single node; writes bench/results/fleet.{md,json}

  --parts LIST      of ${FLEET_PARTS.join(',')} (default: all)
  --seconds N       length of a measurement (default 20; of each kind of work of NATS a quarter)
  --members LIST    numbers of members that the same load is offered to (default 1,2,4,8)
  --rates LIST      requests per second of that load (default 2000)
  --servers N       servers of NATS: 1 or 3 (default 3)
  --heads N         blocks whose heads are followed at three members (default 100)
  --failovers N     times that the member with the pool is killed (default 10)
  --joins LIST      blocks of the chains that new members join with (default 1000,100000)
  --blocks N        blocks of the chain that logs are searched in (default 100000)
  --program FILE    compiled command line of the members (default: that of this repository)`

export function parseFleetOptions(args: string[]): FleetBenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      parts: { type: 'string', default: FLEET_PARTS.join(',') },
      seconds: { type: 'string', default: '20' },
      members: { type: 'string', default: '1,2,4,8' },
      rates: { type: 'string', default: '2000' },
      servers: { type: 'string', default: '3' },
      heads: { type: 'string', default: '100' },
      failovers: { type: 'string', default: '10' },
      joins: { type: 'string', default: '1000,100000' },
      blocks: { type: 'string', default: '100000' },
      program: { type: 'string', default: cliArguments()[0] ?? '' },
    },
  })
  const parts = values.parts.split(',').map((name) => {
    const part = FLEET_PARTS.find((one) => one === name)
    if (part === undefined) throw new RangeError(`--parts: there is no "${name}"`)
    return part
  })
  return {
    parts: new Set(parts),
    seconds: Number(values.seconds),
    members: values.members.split(',').map(Number),
    rates: values.rates.split(',').map(Number),
    servers: Number(values.servers),
    heads: Number(values.heads),
    failovers: Number(values.failovers),
    joins: values.joins.split(',').map(Number),
    blocks: Number(values.blocks),
    program: values.program,
  }
}
