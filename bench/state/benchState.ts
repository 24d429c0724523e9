import { parseArgs } from 'node:util'
import { Generator } from '../load/generator.ts'
import { readNamedBuilds } from '../namedBuilds.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveSections } from '../report/results.ts'
import { measureSize, THIS_BUILD } from './measureSize.ts'
import { measureUnderLimit } from './memoryLimit.ts'
import type { StateOptions } from './options.ts'
import type { Measured, Speed } from './speeds.ts'

const LARGE = 1e7
/** Bars of the rate at a size to that at the smallest, and of the processor time of a request. */
const MIN_OF_SMALLEST = 0.75
const MIN_OF_SMALLEST_LARGE = 0.7
const MAX_TIME_OF_SMALLEST = 1.3
const MIN_TO_ANVIL = 0.9
const MIN_TO_GETH = 3
const MIN_EARLIER_TO_NEWEST = 0.6

const LIMIT_NOTE =
  'Distinct balances in a closed loop, no response cached, and `eth_chainId` in an open loop alone and beside it. The ' +
  'pages of the store left the memory before each turn; the limit is that of a control group, for own memory and mapped pages.'

/** `bench -- state`: reads of the newest state by its size, and of earlier ones. */
export async function benchState(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: 'string', default: '10000,100000,1000000' },
      large: { type: 'boolean', default: false },
      blocks: { type: 'string', default: '2000' },
      before: { type: 'string', multiple: true, default: [] },
      alone: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '2' },
      runs: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      'memory-limit': { type: 'string' },
    },
  })
  const options: StateOptions = {
    sizes: [...values.sizes.split(',').filter((text) => text !== ''), ...(values.large ? [LARGE] : [])].map(
      Number,
    ),
    blocks: Number(values.blocks),
    isAlone: values.alone,
    seconds: Number(values.seconds),
    runs: Number(values.runs),
    connections: Number(values.connections),
  }
  const others = readNamedBuilds(values.before)
  const machine = describeMachine()
  const generator = new Generator()
  const measured: Measured[] = []
  try {
    if (values['memory-limit'] !== undefined) {
      const size = options.sizes.at(-1) ?? LARGE
      const limitMiB = Number(values['memory-limit'])
      const rows = await measureUnderLimit({ ...options, size, limitMiB }, generator)
      const title = `${size} accounts and cells, read from the disk`
      saveSections('state-limit', machine, [{ title, note: LIMIT_NOTE, rows }], { options, limitMiB, rows })
      return
    }
    for (const size of options.sizes) {
      const beside =
        size === LARGE ? { builds: [], isAlone: true } : { builds: others, isAlone: options.isAlone }
      measured.push(...(await measureSize(size, beside, options, generator)))
      console.error(`${size} accounts and cells done`)
    }
  } finally {
    generator.close()
  }
  const note =
    'Requests/s of a closed loop, no response cached; processor time of the node for one request. ' +
    'The state was written straight into the store; "earlier" is spread over all blocks that were made on it.'
  const sections = [
    { title: 'Reads by size of the state', note, rows: measured.map(rowOf) },
    { title: 'Ratios of this build', rows: ratiosOf(measured) },
  ]
  saveSections('state', machine, sections, { options, measured })
}

function rowOf({ size, name, written, startSeconds, ownMiB, speeds }: Measured): Row {
  const cells = Object.entries(speeds).flatMap(([read, speed]) => [
    [`${read}/s`, speed === null ? 'none' : Math.round(speed.requestsPerSecond)] as const,
    [`${read} µs`, speed === null ? 'none' : Number(speed.microseconds.toPrecision(3))] as const,
  ])
  return {
    'accounts and cells': size,
    node: name,
    'trie written in s': written?.seconds ?? 'none',
    'table in s': written?.tableSeconds ?? 'none',
    'state store MiB': written === null ? 'none' : Math.round(written.bytes / 2 ** 20),
    'start s': startSeconds === null ? 'none' : Number(startSeconds.toPrecision(3)),
    ...Object.fromEntries(cells),
    'own memory MiB': Math.round(ownMiB),
  }
}

/** Of each size and kind of read, with what they are held to. */
function ratiosOf(measured: readonly Measured[]): Row[] {
  const own = measured.filter(({ name }) => name === THIS_BUILD)
  return own.flatMap(({ size, speeds }) =>
    (['balances', 'cells'] as const).map((read): Row => {
      const newest = speeds[read]
      const smallest = own[0]?.speeds[read] ?? null
      const of = (name: string) =>
        measured.find((other) => other.size === size && other.name === name)?.speeds[read]
      const least = size === LARGE ? MIN_OF_SMALLEST_LARGE : MIN_OF_SMALLEST
      return {
        'accounts and cells': size,
        read,
        [`rate to the smallest size (≥ ${MIN_OF_SMALLEST}; ${MIN_OF_SMALLEST_LARGE} at 10⁷)`]: atLeast(
          rates(newest, smallest),
          least,
        ),
        [`processor time to it (≤ ${MAX_TIME_OF_SMALLEST})`]: atMost(
          times(newest, smallest),
          MAX_TIME_OF_SMALLEST,
        ),
        [`rate to anvil (≥ ${MIN_TO_ANVIL})`]: atLeast(rates(newest, of('anvil')), MIN_TO_ANVIL),
        [`rate to geth (≥ ${MIN_TO_GETH})`]: atLeast(rates(newest, of('geth')), MIN_TO_GETH),
        'processor time to anvil': plain(times(newest, of('anvil'))),
        'processor time to geth': plain(times(newest, of('geth'))),
        [`rate of earlier to newest (≥ ${MIN_EARLIER_TO_NEWEST})`]: atLeast(
          rates(speeds[`earlier ${read}`], newest),
          MIN_EARLIER_TO_NEWEST,
        ),
      }
    }),
  )
}

type Maybe<T> = T | null | undefined

function rates(one: Maybe<Speed>, other: Maybe<Speed>): number | null {
  return one && other ? one.requestsPerSecond / other.requestsPerSecond : null
}

function times(one: Maybe<Speed>, other: Maybe<Speed>): number | null {
  return one && other ? one.microseconds / other.microseconds : null
}

function plain(ratio: number | null): string {
  return ratio === null ? 'none' : ratio.toPrecision(3)
}

function atLeast(ratio: number | null, bar: number): string {
  return judged(ratio, (value) => value >= bar)
}

function atMost(ratio: number | null, bar: number): string {
  return judged(ratio, (value) => value <= bar)
}

function judged(ratio: number | null, isMet: (ratio: number) => boolean): string {
  return ratio === null ? 'none' : `${plain(ratio)} ${isMet(ratio) ? 'met' : '**not met**'}`
}
