import { MAX_BLOCK_TIME_SECONDS } from '../../config/options/production.ts'
import type { BlockInterval } from '../../mining/blockProducer.ts'
import { invalidParams } from '../errors.ts'
import { boundedNumber } from './boundedNumber.ts'
import type { Param } from './param.ts'

/** The units of the numbers of an interval, and how many of them are a second. */
const UNITS = { seconds: 1, milliseconds: 1000 } as const

/** One of {@link UNITS}. */
export type IntervalUnit = keyof typeof UNITS

/** Time from block to block, as given: one number, or the least and the most of a range. */
export type GivenInterval = number | readonly [least: number, most: number]

/** A number, or an array with the least and the most, of which each block has another one, as Hardhat defines it. */
export function blockInterval(name: string): Param<GivenInterval> {
  const bound = boundedNumber(name, MAX_BLOCK_TIME_SECONDS * UNITS.milliseconds)
  return {
    name,
    schema: {
      oneOf: [
        { type: 'string' },
        { type: 'integer', minimum: 0 },
        { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 },
      ],
    },
    optional: false,
    parse: (value, method) => {
      if (!Array.isArray(value)) return bound.parse(value, method)
      const [least = 0, most = 0, ...more] = value.map((end) => bound.parse(end, method))
      if (value.length < 2 || more.length > 0 || least > most) {
        throw invalidParams(`Invalid ${name}: the least and the most expected`)
      }
      return [least, most]
    },
  }
}

/** The interval in seconds; null, no interval, for zero. @throws RpcError -32602 when it is too long */
export function inSeconds(given: GivenInterval, unit: IntervalUnit): BlockInterval | null {
  const [least, most] = typeof given === 'number' ? [given, given] : given
  const perSecond = UNITS[unit]
  if (most > MAX_BLOCK_TIME_SECONDS * perSecond) {
    throw invalidParams(`Invalid ${unit} ${most}: at most ${MAX_BLOCK_TIME_SECONDS * perSecond} expected`)
  }
  if (most === 0) return null
  return least === most ? most / perSecond : [least / perSecond, most / perSecond]
}
