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
  /** Requests per second of the quiet key that the front thread answers by itself. */
  readonly quietRate: number
  /** The same of those that workers answer. */
  readonly workerRate: number
  /** What the quiet key asks for. */
  readonly quiet: ReadonlySet<QuietKind>
  /** Whether every layer between clients is switched off once; parts of the names of layers, empty for all. */
  readonly ablate: readonly string[] | null
  /** Parts of the names of noises; null is all. */
  readonly only: readonly string[] | null
  readonly transfers: number
  readonly accounts: number
}

/** Requests of the quiet key: answered by the front thread, or by workers. */
export const QUIET_KINDS = ['front', 'workers'] as const

export type QuietKind = (typeof QUIET_KINDS)[number]

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
  --quiet LIST        what the quiet key asks for: front,workers, which is answered by the front thread or by workers
                      (default: both)
  --quiet-rate N      requests per second of it that the front thread answers (default 500)
  --worker-rate N     requests per second of it that workers answer (default 100)
  --ablate            noisy keys with every layer between clients switched off in turn, and with all on first and last;
                      writes bench/results/overload-ablation.{md,json}
  --layer TEXT        with --ablate: only layers whose name contains the text; may be repeated
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
      'worker-rate': { type: 'string', default: '100' },
      quiet: { type: 'string', default: QUIET_KINDS.join(',') },
      ablate: { type: 'boolean', default: false },
      layer: { type: 'string', multiple: true },
      only: { type: 'string', multiple: true },
      transfers: { type: 'string', default: '1000' },
      accounts: { type: 'string', default: '2000' },
    },
  })
  return {
    sections: new Set(oneOf(values.sections, '--sections', OVERLOAD_SECTIONS)),
    seconds: Number(values.seconds),
    times: Number(values.times),
    connections: Number(values.connections),
    sockets: Number(values.sockets),
    noisySeconds: Number(values['noisy-seconds']),
    noisyRounds: Number(values['noisy-rounds']),
    noisyNiceness: Number(values['noisy-niceness']),
    quietRate: Number(values['quiet-rate']),
    workerRate: Number(values['worker-rate']),
    quiet: new Set(oneOf(values.quiet, '--quiet', QUIET_KINDS)),
    ablate: values.ablate ? (values.layer ?? []) : null,
    only: values.only ?? null,
    transfers: Number(values.transfers),
    accounts: Number(values.accounts),
  }
}

function oneOf<T extends string>(list: string, option: string, known: readonly T[]): T[] {
  return list.split(',').map((name) => {
    const found = known.find((each) => each === name)
    if (found === undefined) throw new Error(`${option}: ${known.join(',')} expected, not ${name}`)
    return found
  })
}
