import { parseArgs } from 'node:util'
import { cliArguments } from '../../test/support/cli.ts'

export const FLEET_PARTS = ['idle', 'load', 'heads', 'messages', 'size'] as const

export type FleetPart = (typeof FLEET_PARTS)[number]

export interface FleetBenchOptions {
  readonly parts: ReadonlySet<FleetPart>
  /** Of each measurement. */
  readonly seconds: number
  /** Numbers of members. */
  readonly members: readonly number[]
  /** Requests a second, all members together. */
  readonly rates: readonly number[]
  readonly pairs: number
  /** Servers of NATS. */
  readonly servers: number
  /** Blocks whose adoption is followed. */
  readonly heads: number
  /** Compiled command line of the members. */
  readonly program: string
}

export const FLEET_HELP = `bench -- fleet: several nodes as one service over NATS, beside as many nodes that are peers of one another; writes bench/results/fleet.{md,json}

  --parts LIST      of ${FLEET_PARTS.join(',')} (default: all)
  --seconds N       length of a measurement (default 10)
  --members LIST    numbers of members (default 1,2,4,8)
  --rates LIST      requests per second, all members together (default 2000,6000)
  --pairs N         interleaved pairs of measurements of a fleet and of nodes without one (default 5)
  --servers N       servers of NATS: 1 or 3 (default 3)
  --heads N         blocks whose adoption is followed at three members (default 60)
  --program FILE    compiled command line of the members (default: that of this repository)`

/** @throws RangeError for a part that there is not */
export function parseFleetOptions(args: string[]): FleetBenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      parts: { type: 'string', default: FLEET_PARTS.join(',') },
      seconds: { type: 'string', default: '10' },
      members: { type: 'string', default: '1,2,4,8' },
      rates: { type: 'string', default: '2000,6000' },
      pairs: { type: 'string', default: '5' },
      servers: { type: 'string', default: '3' },
      heads: { type: 'string', default: '60' },
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
    pairs: Number(values.pairs),
    servers: Number(values.servers),
    heads: Number(values.heads),
    program: values.program,
  }
}
