import type { IntegerOption } from '../option.ts'

/**
 * Lanes of requests, one for each kind of work, so that one kind cannot starve another. The lane `inline` has
 * no limits: its responses are available immediately.
 */
export const LANES = ['read', 'evm', 'scan', 'proof', 'trace'] as const

/** A lane with limits. */
export type LaneName = (typeof LANES)[number]

/** Limits of a lane. */
export type ConfiguredLaneLimits = {
  /** Length of the queue; further requests are refused. */
  readonly queue: number
  /** Time limit of a request, seconds. */
  readonly timeout: number
}

/** Key of one option of a lane, e.g. `laneEvmQueue`. */
export type LaneOptionKey = `lane${Capitalize<LaneName>}${Capitalize<keyof ConfiguredLaneLimits | 'permits'>}`

/**
 * Queues of cheap requests may be long, those of expensive ones are short. Time limits are the reference node's 5 s
 * where a response is expected at once. Revise with the waiting and running times per lane.
 */
const DEFAULTS: Readonly<Record<LaneName, ConfiguredLaneLimits>> = {
  read: { queue: 16_384, timeout: 5 },
  evm: { queue: 8192, timeout: 5 },
  scan: { queue: 512, timeout: 30 },
  proof: { queue: 512, timeout: 5 },
  trace: { queue: 128, timeout: 60 },
}

const WORK: Readonly<Record<LaneName, string>> = {
  read: 'reads of blocks, transactions and state',
  evm: 'calls and estimates',
  scan: 'searches of logs',
  proof: 'state proofs',
  trace: 'traces',
}

/** Key of a limit of a lane. */
export function laneOptionKey(lane: LaneName, limit: keyof ConfiguredLaneLimits | 'permits'): LaneOptionKey {
  return `lane${capitalize(lane)}${capitalize(limit)}`
}

/** Last version that takes what had no effect: requests of a lane at the workers are bounded by the workers. */
const PERMITS_UNTIL = '0.2'

/** Queue length and time limit of every lane. */
export const LANE_OPTIONS = Object.fromEntries(
  LANES.flatMap((lane) => [
    [laneOptionKey(lane, 'permits'), { ...limitOption('Without effect', 1, 1), retired: PERMITS_UNTIL }],
    [laneOptionKey(lane, 'queue'), limitOption(`Requests waiting: ${WORK[lane]}`, DEFAULTS[lane].queue, 0)],
    [
      laneOptionKey(lane, 'timeout'),
      limitOption(`Time limit in seconds: ${WORK[lane]}`, DEFAULTS[lane].timeout, 1),
    ],
  ]),
) as Readonly<Record<LaneOptionKey, IntegerOption>>

/** The limits of a lane in a configuration. */
export function laneLimits(
  config: Readonly<Record<LaneOptionKey, number>>,
  lane: LaneName,
): ConfiguredLaneLimits {
  return {
    queue: config[laneOptionKey(lane, 'queue')],
    timeout: config[laneOptionKey(lane, 'timeout')],
  }
}

function limitOption(doc: string, value: number, minimum: number): IntegerOption {
  return { kind: 'integer', group: 'Limits', minimum, maximum: 1_000_000, default: value, doc }
}

function capitalize<T extends string>(word: T): Capitalize<T> {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}` as Capitalize<T>
}
