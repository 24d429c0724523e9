import { Generator } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, type Section, saveSections } from '../report/results.ts'
import { ablate } from './ablation.ts'
import { openEndpoint } from './endpoint.ts'
import {
  measureNoisyKeys,
  median,
  movedBy,
  NOISY_KEYS,
  type NoisePart,
  type NoiseResult,
} from './noisyKey.ts'
import { type OverloadOptions, readOverloadOptions } from './options.ts'
import { NODE_OPTIONS, SPARSE_BLOCKS } from './scene.ts'
import { MIX, measureStorm, type StormResult } from './storm.ts'

/** Least part of the peak that is answered with a result in the storm. */
const MIN_GOODPUT = 0.8
/** Most by which an abusive key may move the p99 of another. */
const MAX_MOVE = 2

/** `bench -- overload`: how the node does under far more than it can do, and one key beside an abusive one. */
export async function benchOverload(args: string[]): Promise<void> {
  const options = readOverloadOptions(args)
  if (options.ablate !== null) {
    await ablate(options, options.ablate)
    return
  }
  const machine = describeMachine()
  const generator = new Generator()
  const sections: Section[] = []
  const detail: { options: object; storm?: StormResult; noisy?: readonly NoiseResult[] } = {
    options: { ...options, sections: [...options.sections], quiet: [...options.quiet] },
  }
  const size = { transfers: options.transfers, accounts: options.accounts, sparseBlocks: SPARSE_BLOCKS }
  const keys = { ...NOISY_KEYS, storm: {}, idle: {}, probe: {} }
  try {
    const endpoint = await openEndpoint(size, keys, NODE_OPTIONS)
    try {
      if (options.sections.has('noisy')) {
        detail.noisy = await measureNoisyKeys(endpoint, generator, options)
        sections.push(noisySection(detail.noisy, options))
      }
      if (options.sections.has('storm')) {
        detail.storm = await measureStorm(endpoint, generator, options)
        sections.unshift(...stormSections(detail.storm, options))
      }
    } finally {
      await endpoint.stop()
    }
  } finally {
    generator.close()
  }
  saveSections('overload', machine, sections, detail)
}

function stormSections(
  result: StormResult,
  { seconds, times, sockets, connections }: OverloadOptions,
): Section[] {
  const { peak, offered, sent, goodput, storm, memory, probe, idle } = result
  const { refused, errors, broken, unanswered } = storm.outcomes
  const mostNow = Math.round(memory.most)
  return [
    {
      title: 'Storm',
      note:
        `${times} times the peak of “${MIX}” for ${seconds} s over ${connections} connections, beside ${sockets} idle ` +
        'WebSockets. A request that is due while every connection waits for an answer is dropped by the generator, ' +
        'which shares the processors with the node.',
      rows: [
        {
          'peak/s': peak,
          'due/s': Math.round(offered),
          'sent/s': Math.round(sent),
          'results/s': Math.round(goodput),
          'of the peak': goodput / peak,
          'refused with 429 or -32005': refused,
          'other errors': errors,
          'connections broken': broken,
          unanswered,
          [`≥ ${MIN_GOODPUT * 100} %`]: met(goodput >= MIN_GOODPUT * peak),
          honest: met(errors + broken + unanswered === 0),
        },
      ],
    },
    {
      title: 'Memory',
      note: `Resident, MiB. Of the ${idle.opened} idle WebSockets ${idle.closed} were ended by the node, and ${idle.answered} answered afterwards.`,
      rows: [
        {
          before: Math.round(memory.before),
          'with idle WebSockets': Math.round(memory.idle),
          'most in the storm': mostNow,
          'at half of it': Math.round(memory.middle),
          'at its end': Math.round(memory.end),
          'after it': Math.round(memory.after),
        },
      ],
    },
    {
      title: 'Recovery',
      note: 'A light load of another key, milliseconds: medians of the seconds.',
      rows: [
        latencyRow('before', probe.before),
        latencyRow('in the storm', probe.during),
        latencyRow('from one second after it', probe.recovered),
        latencyRow('later', probe.after),
      ],
    },
  ]
}

function latencyRow(when: string, { p50, p99 }: { readonly p50: number; readonly p99: number }): Row {
  return { when, 'p50 ms': p50, 'p99 ms': p99 }
}

function noisySection(
  results: readonly NoiseResult[],
  { quietRate, workerRate, noisySeconds }: OverloadOptions,
): Section {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    title: 'Noisy key',
    note:
      `A key with ${quietRate} reads of balances per second that the front thread answers, or with ${workerRate} short ` +
      `calls, traces and reads of blocks that workers answer, ${noisySeconds} s alone and ${noisySeconds} s beside ` +
      'another key that asks for as much as it can, by turns: medians of the turns.',
    rows: results.map((result) => {
      const { quiet, noise, parts } = result
      const of = (pick: (part: NoisePart) => number) => median(parts.map(pick))
      const failures = sum(parts.map(({ alone, beside }) => alone.failures + beside.failures))
      const factor = movedBy(result)
      return {
        quiet,
        noise,
        'noisy results/s': Math.round(of(({ noisy }) => noisy.outcomes.results / noisy.seconds)),
        'noisy refused/s': Math.round(of(({ noisy }) => noisy.outcomes.refused / noisy.seconds)),
        'noisy errors': sum(parts.map(({ noisy }) => noisy.outcomes.errors + noisy.outcomes.broken)),
        'p50 alone ms': of(({ alone }) => alone.p50),
        'p50 beside ms': of(({ beside }) => beside.p50),
        'p99 alone ms': of(({ alone }) => alone.p99),
        'p99 beside ms': of(({ beside }) => beside.p99),
        'most beside ms': of(({ beside }) => beside.most),
        failures,
        'p99 moved by': factor,
        [`≤ ${MAX_MOVE}`]: met(failures === 0 && factor <= MAX_MOVE),
      }
    }),
  }
}

function met(isMet: boolean): string {
  return isMet ? 'met' : '**not met**'
}
