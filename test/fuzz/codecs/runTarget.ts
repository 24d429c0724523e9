import { Chance } from '../chance.ts'
import type { FuzzTarget } from './targets.ts'

/** What came of a run. */
export interface TargetReport {
  readonly executions: number
  /** Inputs that were taken. */
  readonly taken: number
  readonly seconds: number
  /** Milliseconds of the input that took longest. */
  readonly slowest: number
  /** The first input that failed, and how. */
  readonly fault: { readonly input: Buffer; readonly error: unknown } | null
}

/** Inputs between two looks at the clock. */
const TURN = 64
/** Bytes of inputs that others are made from. */
const MAX_KEPT_BYTES = 16 * 1024
/** Inputs that others are made from; a new one takes the place of one of them. */
const CORPUS = 4096

/** Tries inputs until one fails or the bound is reached; the seed determines all of them. */
export function runTarget(
  { seeds, mutate, check }: FuzzTarget,
  { seed, seconds, executions: most }: { seed: number; seconds: number; executions: number },
): TargetReport {
  const chance = new Chance(seed)
  // Taken inputs that were changed are changed further: two faults of one kind seldom come in one step.
  const corpus = [...seeds]
  const began = performance.now()
  const keep = (input: Buffer) => {
    if (corpus.length < CORPUS) corpus.push(input)
    else corpus[chance.below(CORPUS)] = input
  }
  let [executions, taken, slowest] = [0, 0, 0]
  const report = (fault: TargetReport['fault']): TargetReport => ({
    executions,
    taken,
    seconds: (performance.now() - began) / 1000,
    slowest,
    fault,
  })
  while (executions < most && performance.now() - began < seconds * 1000) {
    for (let turn = 0; turn < TURN && executions < most; turn += 1) {
      const input = mutate(chance, chance.pick(corpus), seeds)
      const started = performance.now()
      executions += 1
      try {
        if (check(input)) {
          taken += 1
          if (input.length <= MAX_KEPT_BYTES) keep(input)
        }
      } catch (error) {
        return report({ input, error })
      }
      slowest = Math.max(slowest, performance.now() - started)
    }
  }
  return report(null)
}
