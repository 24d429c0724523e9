import type { Chance } from './chance.ts'

/** Numbers at which readers stumble: limits of types, forms of the same value, what is no number. */
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1.0',
  '1.5',
  '1e3',
  '1E+400',
  '-1e-400',
  '9007199254740993',
  '4294967296',
  '2147483648',
  '18446744073709551616',
  '-9223372036854775809',
  `1${'0'.repeat(80)}`,
  '9'.repeat(400),
  `0.${'3'.repeat(200)}`,
] as const

/** Texts that almost are quantities, hashes, addresses or tags. */
const TEXTS = [
  '',
  ' ',
  '0x',
  '0X',
  'x',
  '0',
  '-1',
  '00',
  '0x0',
  '0x00',
  '0X1f',
  '0x-1',
  '-0x1',
  '0x 1',
  ' 0x1',
  '0x1 ',
  '0x1\n',
  '0xg',
  '0xfffffffffffffffff',
  `0x${'f'.repeat(64)}`,
  `0x1${'0'.repeat(64)}`,
  `0x${'0'.repeat(300)}1`,
  '1e3',
  '١٢٣',
  '0x１',
  'latest',
  'LATEST',
  'latest ',
  'pending',
  'earliest',
  'safe',
  'finalized',
  'null',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '0x\u0000',
  '\u2028\u2029',
  '\ufeff0x1',
  '😀',
  'é',
  '\\',
  '"',
  '\\u0000',
  '9007199254740993',
  '99999999999999999999999999999999999999999999999999999999999999999999999999999999',
  '0x7fffffff',
  '0x80000000',
  '0xffffffff',
  '0x100000000',
  '0x7fffffffffffffff',
  '0xffffffffffffffff',
  '0x10000000000000000',
] as const

/** JSON texts of lone surrogates and odd escapes, which no writer of JSON makes. */
const RAW_TEXTS = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0030\\u0078\\u0031"',
  '"\\/"',
  '"0x\\u0031"',
  '"\\b\\f"',
] as const

/** JSON text of an odd scalar. */
export function oddScalar(chance: Chance): string {
  switch (chance.below(8)) {
    case 0:
      return chance.pick(NUMBERS)
    case 1:
      return chance.pick(['null', 'true', 'false'])
    case 2:
      return chance.pick(RAW_TEXTS)
    case 3:
      return JSON.stringify(`0x${chance.hex(chance.pick([1, 2, 39, 40, 41, 63, 64, 65, 66, 128, 131]))}`)
    case 4:
      return JSON.stringify(`0x${chance.hex(chance.pick([1000, 4096, 20_001]))}`)
    case 5:
      return JSON.stringify(String.fromCodePoint(1 + chance.below(0xd7ff)).repeat(1 + chance.below(9)))
    default:
      return JSON.stringify(chance.pick(TEXTS))
  }
}

/** JSON text of an odd value: a scalar, a structure of some, or a tower of brackets. */
export function oddValue(chance: Chance, depth = 3): string {
  const kind = chance.below(depth > 0 ? 12 : 8)
  if (kind < 8) return oddScalar(chance)
  if (kind === 8 && chance.happens(0.1)) return tower(chance)
  const values = Array.from({ length: chance.below(4) }, () => oddValue(chance, depth - 1))
  if (kind < 10) return `[${values.join(',')}]`
  return `{${values.map((value) => `${JSON.stringify(oddKey(chance))}:${value}`).join(',')}}`
}

/** Brackets in each other, around the depths at which readers give up. */
export function tower(chance: Chance): string {
  const depth = chance.pick([10, 63, 64, 65, 998, 999, 1000, 1001, 5000])
  return chance.happens(0.5)
    ? `${'['.repeat(depth)}${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`
}

function oddKey(chance: Chance): string {
  return chance.pick([
    ...['address', 'topics', 'fromBlock', 'toBlock', 'blockHash', 'blockNumber', 'requireCanonical'],
    ...['from', 'to', 'gas', 'gasPrice', 'value', 'data', 'input', 'nonce', 'chainId', 'type'],
    ...['balance', 'code', 'state', 'stateDiff', 'tracer', 'tracerConfig', 'timeout'],
    ...['__proto__', 'constructor', 'length', 'then', 'toJSON', '', '0', '\u0000'],
  ])
}
