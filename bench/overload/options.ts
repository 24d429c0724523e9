import { parseArgs } from 'node:util'

export interface OverloadOptions {
  readonly sections: ReadonlySet<OverloadSection>
  /** Length of the storm. */
  readonly seconds: number
  /** Rate of the storm, as a multiple of the peak. */
  readonly times: number
  /** Connections of the storm. */
  readonly connections: number
  /** WebSockets that say nothing. */
  readonly sockets: number
  /** Length of each part of the noisy key's. */
  readonly noisySeconds: number
  /** Pairs of parts, alone and with noise. */
  readonly noisyRounds: number
  /** By how much the system puts the noisy generator behind the others. */
  readonly noisyNiceness: number
  /** Requests per second of the quiet key. */
  readonly quietRate: number
  /** Parts of the names of noises; null is all. */
  readonly only: readonly string[] | null
  readonly transfers: number
  readonly accounts: number
}

export const OVERLOAD_SECTIONS = ['storm', 'noisy'] as const

export type OverloadSection = (typeof OVERLOAD_SECTIONS)[number]

export const OVERLOAD_HELP = `bench -- overload: many times the peak rate beside idle WebSockets, and an abusive key beside a quiet one; writes
bench/results/overload.{md,json}

  --sections LIST     of storm,noisy (default: both)
  --seconds N         length of the storm (default 120)
  --times N           rate of the storm, as a multiple of the peak (default 10)
  --connections N     of the storm (default 4000)
  --sockets N         WebSockets that say nothing (default 10000)
  --noisy-seconds N   length of each part of the quiet key, alone and beside the noisy one (default 3)
  --noisy-rounds N    pairs of such parts for each noise (default 3)
  --noisy-niceness N  of the noisy generator, which elsewhere has a machine of its own (default 0)
  --quiet-rate N      requests per second of the quiet key (default 500)
  --only TEXT         only noises whose name contains the text; may be repeated
  --transfers N       blocks with a token transfer (default 1000)
  --accounts N        accounts with funds and tokens (default 2000)

Node and generators need a descriptor for each connection: \`ulimit -Hn\` has to say more than both numbers together.`

export function readOverloadOptions(args: string[]): OverloadOptions {
  const { values } = parseArgs({
    args,
    options: {
      sections: { type: 'string', default: OVERLOAD_SECTIONS.join(',') },
      seconds: { type: 'string', default: '120' },
      times: { type: 'string', default: '10' },
      connections: { type: 'string', default: '4000' },
      sockets: { type: 'string', default: '10000' },
      'noisy-seconds': { type: 'string', default: '3' },
      'noisy-rounds': { type: 'string', default: '3' },
      'noisy-niceness': { type: 'string', default: '0' },
      'quiet-rate': { type: 'string', default: '500' },
      only: { type: 'string', multiple: true },
      transfers: { type: 'string', default: '1000' },
      accounts: { type: 'string', default: '2000' },
    },
  })
  const sections = values.sections.split(',').map((name) => {
    const known = OVERLOAD_SECTIONS.find((section) => section === name)
    if (known === undefined)
      throw new Error(`--sections: ${OVERLOAD_SECTIONS.join(',')} expected, not ${name}`)
    return known
  })
  return {
    sections: new Set(sections),
    seconds: Number(values.seconds),
    times: Number(values.times),
    connections: Number(values.connections),
    sockets: Number(values.sockets),
    noisySeconds: Number(values['noisy-seconds']),
    noisyRounds: Number(values['noisy-rounds']),
    noisyNiceness: Number(values['noisy-niceness']),
    quietRate: Number(values['quiet-rate']),
    only: values.only ?? null,
    transfers: Number(values.transfers),
    accounts: Number(values.accounts),
  }
}
