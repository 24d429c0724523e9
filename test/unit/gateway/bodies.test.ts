import t, { type Test } from 'tap'
import { METHODS } from '../../../src/rpc/methods.ts'
import { bodyBytes } from '../../fuzz/bodies.ts'
import { Chance } from '../../fuzz/chance.ts'
import type { Facts } from '../../fuzz/facts.ts'
import { oddValue, tower } from '../../fuzz/oddJson.ts'
import { BodyReaders, type BodyReading } from '../../support/oracle/nativeBody.ts'

const MAX_FIELDS = 5
const SEED = 20_260_711
const FACTS: Facts = {
  account: `0x${'a1'.repeat(20)}`,
  token: `0x${'a2'.repeat(20)}`,
  failures: `0x${'a3'.repeat(20)}`,
  blockHash: `0x${'b1'.repeat(32)}`,
  transactionHash: `0x${'b2'.repeat(32)}`,
  rawTransaction: `0xf8${'6b'.repeat(100)}`,
  rawBlock: `0xf9${'02'.repeat(300)}`,
}

const readers = new BodyReaders([...METHODS.map(({ name }) => name), 'm'], MAX_FIELDS)

/** How many bodies came out as what. */
class Outcomes {
  readonly #counts = new Map<string, number>()

  add(reading: BodyReading): void {
    const name = typeof reading === 'string' ? reading : reading.kind
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}

/** Whether both readers make the same of a body, and what. */
function compare(t: Test, bytes: Buffer, outcomes: Outcomes): void {
  const found = readers.native(bytes)
  const expected = readers.oracle(bytes)
  outcomes.add(found)
  // Writing both down costs less than a comparison member by member, and there are many.
  if (JSON.stringify(found) === JSON.stringify(expected)) return
  t.strictSame(found, expected, JSON.stringify(bytes.toString('latin1').slice(0, 500)))
}

t.test('bodies of strangers are read as the oracle reads them', (t) => {
  const chance = new Chance(SEED)
  const outcomes = new Outcomes()
  for (let i = 0; i < 40_000; i++) compare(t, bodyBytes(chance, FACTS), outcomes)
  for (const kind of ['request', 'batch', 'invalid', 'parse']) t.ok(outcomes.of(kind) > 100, kind)
  t.end()
})

const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '\t', '\r', '\u0000', '\u001f', '\u007f', '\u0085'],
  ...['\u00a0', '\u2028', '\ufeff', 'é', '😀', '1', '-', '.', 'e', '0', 'x', 'null', 'true', 'fals', '"a"'],
  ...[
    '"id":1',
    '"id":null',
    '"i\\u0064":[]',
    '"method":"m"',
    '"method":"\\u006d"',
    '"method":{}',
    '"params":[]',
  ],
  ...[
    '"params":{"a":[1]}',
    '{"id":1,"method":"m"}',
    '{"method":"m"}',
    '{}',
    '[]',
    '"\\ud800"',
    '\\u12',
    '"\\x"',
  ],
] as const

/** Pieces of JSON one after the other, within brackets or without. */
function pieces(chance: Chance): string {
  const text = Array.from({ length: chance.below(9) }, () => chance.pick(PIECES)).join(
    chance.pick(['', '', ',']),
  )
  return chance.pick([text, text, `{${text}}`, `[${text}]`, `[{"id":1,"method":"m"},${text}]`])
}

t.test('pieces of JSON are read as the oracle reads them', (t) => {
  const chance = new Chance(SEED + 1)
  const outcomes = new Outcomes()
  for (let i = 0; i < 160_000; i++) compare(t, Buffer.from(pieces(chance)), outcomes)
  for (const kind of ['request', 'batch', 'invalid', 'parse']) t.ok(outcomes.of(kind) > 1000, kind)
  t.end()
})

t.test('odd values, alone, as batches and as members of requests', (t) => {
  const chance = new Chance(SEED + 2)
  const outcomes = new Outcomes()
  for (let i = 0; i < 5000; i++) {
    const value = chance.happens(0.02) ? tower(chance) : oddValue(chance)
    const member = chance.pick(['id', 'method', 'params', '\\u0069d', 'more'])
    const request = `{"id":7,"method":"m","${member}":${value}}`
    for (const text of [value, `[${value},${request}]`, request, `\ufeff${request}`, `${request}${value}`]) {
      compare(t, Buffer.from(text), outcomes)
    }
  }
  for (const kind of ['request', 'batch', 'invalid', 'invalidRequest']) t.ok(outcomes.of(kind) > 20, kind)
  t.end()
})

t.test('every byte at every place of a request', (t) => {
  const outcomes = new Outcomes()
  const body = Buffer.from('{"id":"ä\\n","method":"m","params":[-1.5e3,{"a":null}]}')
  for (let at = 0; at <= body.length; at++) {
    for (let byte = 0; byte < 256; byte++) {
      const inserted = Buffer.concat([body.subarray(0, at), Buffer.of(byte), body.subarray(at)])
      compare(t, inserted, outcomes)
      if (at === body.length) continue
      const replaced = Buffer.from(body)
      replaced[at] = byte
      compare(t, replaced, outcomes)
    }
    compare(t, body.subarray(0, at), outcomes)
    compare(t, Buffer.concat([body, body.subarray(0, at)]), outcomes)
  }
  t.ok(outcomes.of('request') > 1000)
  t.ok(outcomes.of('parse') > 1000)
  t.end()
})

t.test('batches at their limits, whose records are more than find room at once', (t) => {
  const outcomes = new Outcomes()
  const requests = [
    '{"method":"m"}',
    '{"id":1,"method":"x"}',
    '{}',
    '1',
    '[]',
    '[[1]]',
    '{"id":{}}',
    '{"id":[]}',
  ]
  for (const request of requests) {
    for (const count of [0, 1, MAX_FIELDS, MAX_FIELDS + 1, 10 * MAX_FIELDS, 10 * MAX_FIELDS + 1]) {
      const elements = Array<string>(count).fill(request)
      compare(t, Buffer.from(`[${elements}]`), outcomes)
      compare(t, Buffer.from(`[[${elements}],${elements}`), outcomes)
      compare(t, Buffer.from(`[[${elements}],${request}]`), outcomes)
    }
  }
  compare(t, Buffer.from(`${'['.repeat(999)}${'],['.repeat(40)}${']'.repeat(999)}`), outcomes)
  compare(t, Buffer.from(`[${Array(10 * MAX_FIELDS).fill(`${'['.repeat(90)}1${']'.repeat(90)}`)}]`), outcomes)
  t.ok(outcomes.of('batch') > 20)
  t.ok(outcomes.of('batchTooLarge') > 5)
  t.end()
})
