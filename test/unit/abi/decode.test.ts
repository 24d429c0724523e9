import fc from 'fast-check'
import t from 'tap'
import { encodeAbiParameters, type AbiParameter as ViemParameter } from 'viem'
import { readParameters } from '../../../src/abi/abiType.ts'
import { type DecodedValue, decodeArguments } from '../../../src/abi/decode.ts'
import { fromHex, toHex } from '../../../src/util/bytes.ts'

/** A type with a value of it, as viem takes it. */
type Sample = readonly [parameter: ViemParameter, value: unknown]

const bytesOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes))

/** Each array has elements of one type, made of the same sample. */
const samples = fc.letrec<{ value: Sample }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value): Sample => [{ type: 'uint256' }, value]),
    fc
      .bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n })
      .map((value): Sample => [{ type: 'int128' }, value]),
    fc.boolean().map((value): Sample => [{ type: 'bool' }, value]),
    fc.string().map((value): Sample => [{ type: 'string' }, value]),
    bytesOf(20).map((value): Sample => [{ type: 'address' }, value]),
    bytesOf(7).map((value): Sample => [{ type: 'bytes7' }, value]),
    fc
      .nat({ max: 70 })
      .chain(bytesOf)
      .map((value): Sample => [{ type: 'bytes' }, value]),
    fc
      .tuple(tie('value'), fc.nat({ max: 3 }))
      .map(
        ([[parameter, value], length]): Sample => [
          { ...parameter, type: `${parameter.type}[]` },
          new Array(length).fill(value),
        ],
      ),
    fc
      .tuple(tie('value'), fc.integer({ min: 1, max: 3 }))
      .map(
        ([[parameter, value], length]): Sample => [
          { ...parameter, type: `${parameter.type}[${length}]` },
          new Array(length).fill(value),
        ],
      ),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }).map(
      (members): Sample => [
        {
          type: 'tuple',
          components: members.map(([parameter], index) => ({ ...parameter, name: `m${index}` })),
        },
        members.map(([, value]) => value),
      ],
    ),
  ),
}))

/** A decoded value as viem takes it; tuples are told from arrays by nothing, which viem accepts for both. */
function comparable(value: DecodedValue): unknown {
  if (Buffer.isBuffer(value)) return toHex(value)
  return Array.isArray(value) ? value.map(comparable) : value
}

/** viem takes tuples of named members as objects only. */
function asViem([parameter, value]: Sample): unknown {
  const { type } = parameter
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
  if (element !== undefined)
    return (value as unknown[]).map((each) => asViem([{ ...parameter, type: element }, each]))
  if (type !== 'tuple') return value
  const { components } = parameter as { components: readonly ViemParameter[] }
  return Object.fromEntries(
    components.map((component, index) => [component.name, asViem([component, (value as unknown[])[index]])]),
  )
}

t.test('what another library encodes is decoded to the same values', (t) => {
  fc.assert(
    fc.property(fc.array(samples.value, { maxLength: 4 }), (given) => {
      const parameters = given.map(([parameter]) => parameter)
      const encoded = encodeAbiParameters(parameters, given.map(asViem) as never)
      const read = readParameters(parameters)
      const decoded = read && decodeArguments(read, fromHex(encoded))
      t.strictSame(
        decoded?.map(comparable),
        given.map(([, value]) => value),
      )
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('data that end early are no encoding', (t) => {
  const read = readParameters([{ type: 'string' }, { type: 'uint256[]' }]) ?? []
  const encoded = fromHex(
    encodeAbiParameters([{ type: 'string' }, { type: 'uint256[]' }], ['a text', [1n, 2n, 3n]]),
  )
  t.not(decodeArguments(read, encoded), null)
  for (let length = 0; length < encoded.length; length++)
    t.equal(decodeArguments(read, encoded.subarray(0, length)), null, `${length} bytes`)
  t.end()
})

t.test('whatever a contract sends is decoded or refused', (t) => {
  const read = readParameters([
    { type: 'tuple[]', components: [{ type: 'string[]' }, { type: 'bytes' }] },
    { type: 'uint8[3][]' },
  ])
  if (read === null) throw new Error('no types')
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 200n }), { maxLength: 12 }), (words) => {
      const data = Buffer.concat(words.map((word) => fromHex(word.toString(16).padStart(64, '0'))))
      const decoded = decodeArguments(read, data)
      t.ok(decoded === null || decoded.length === 2)
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('a few bytes cannot stand for a huge value', (t) => {
  // Each level has 64 elements, and all offsets lead to the same next level.
  const levels = 8
  const read = readParameters([{ type: `uint256${'[]'.repeat(levels)}` }]) ?? []
  const word = (value: number) => fromHex(value.toString(16).padStart(64, '0'))
  const level = Buffer.concat([word(64), ...new Array<Buffer>(64).fill(word(64 * 32))])
  const data = Buffer.concat([word(32), ...new Array<Buffer>(levels).fill(level)])
  t.equal(decodeArguments(read, data), null)
  t.end()
})

t.test('what is no list of parameters is told', (t) => {
  t.equal(readParameters('uint256'), null)
  t.equal(readParameters([null]), null)
  t.equal(readParameters([{ type: 'uint257' }]), null)
  t.equal(readParameters([{ type: 'bytes33' }]), null)
  t.equal(readParameters([{ type: 'mapping' }]), null)
  t.same(readParameters([{ type: 'uint', name: 'x' }]), [{ name: 'x', type: { kind: 'uint' } }])
  t.same(readParameters([{ type: 'function' }]), [{ name: '', type: { kind: 'fixedBytes', size: 24 } }])
  const deep = { type: `uint256${'[]'.repeat(100)}` }
  t.equal(readParameters([deep]), null)
  t.end()
})
