import { concat, id, keccak256, TypedDataEncoder, toBeHex } from 'ethers'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { hashTypedData as viemHash } from 'viem'
import { WalletError } from '../../../src/wallet/errors.ts'
import { encodeType } from '../../../src/wallet/typedData/encodeType.ts'
import { hashTypedData } from '../../../src/wallet/typedData/hashTypedData.ts'
import { parseTypedData } from '../../../src/wallet/typedData/types.ts'

type Types = Record<string, { name: string; type: string }[]>

interface Message {
  readonly types: Types
  readonly primaryType: string
  readonly domain: Record<string, unknown>
  readonly message: Record<string, unknown>
}

/** The example of EIP-712. */
const MAIL: Message = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
}

const ours = (data: unknown) => `0x${hashTypedData(parseTypedData(data)).toString('hex')}`

function withoutDomain({ EIP712Domain: _, ...rest }: Types): Types {
  return rest
}

/** Our hash, after both libraries were found to agree with it. */
function agree(t: Test, data: Message, name: string): void {
  const found = ours(data)
  t.equal(found, viemHash(data as Parameters<typeof viemHash>[0]), `${name}: viem`)
  t.equal(
    found,
    TypedDataEncoder.hash(data.domain, withoutDomain(data.types), data.message),
    `${name}: ethers`,
  )
  t.equal(ours(JSON.stringify(data)), found, `${name}: as text`)
}

t.test('the example of EIP-712', (t) => {
  t.equal(
    encodeType('Mail', parseTypedData(MAIL).types),
    'Mail(Person from,Person to,string contents)Person(string name,address wallet)',
  )
  t.equal(ours(MAIL), '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2')
  agree(t, MAIL, 'Mail')
  t.end()
})

t.test('a domain without its type has the members that are there', (t) => {
  agree(t, { ...MAIL, types: withoutDomain(MAIL.types) }, 'four members')
  const salt = `0x${'12'.repeat(32)}`
  agree(t, { ...MAIL, types: withoutDomain(MAIL.types), domain: { salt, chainId: 33 } }, 'two members')
  agree(t, { ...MAIL, types: withoutDomain(MAIL.types), domain: {} }, 'none')
  t.end()
})

t.test('arrays, nested and fixed, of values and of structs', (t) => {
  const types = {
    Point: [
      { name: 'x', type: 'int24' },
      { name: 'label', type: 'bytes4' },
    ],
    Shape: [
      { name: 'points', type: 'Point[]' },
      { name: 'grid', type: 'uint8[2][]' },
      { name: 'pairs', type: 'Point[2]' },
      { name: 'names', type: 'string[]' },
      { name: 'blobs', type: 'bytes[]' },
      { name: 'closed', type: 'bool' },
    ],
  }
  const point = (x: number | string) => ({ x, label: '0x01020304' })
  const message = {
    points: [point(-5), point('8388607'), point('0x7f')],
    grid: [
      [1, 2],
      ['3', '0xff'],
    ],
    pairs: [point(0), point(-8388608)],
    names: ['', 'ünï'],
    blobs: ['0x', '0x00ff'],
    closed: true,
  }
  agree(t, { types, primaryType: 'Shape', domain: MAIL.domain, message }, 'shape')
  agree(
    t,
    { types, primaryType: 'Shape', domain: MAIL.domain, message: { ...message, points: [], grid: [] } },
    'empty',
  )
  t.end()
})

t.test('an absent struct is a zero word, and the domain alone can be signed', (t) => {
  const types = {
    Node: [
      { name: 'value', type: 'uint256' },
      { name: 'next', type: 'Node' },
    ],
  }
  const data = (next: unknown) => ({
    types,
    primaryType: 'Node',
    domain: {},
    message: { value: 1, next: { value: 2, ...(next === undefined ? {} : { next }) } },
  })
  t.equal(ours(data(null)), ours(data(undefined)))
  t.not(ours(data({ value: 0, next: null })), ours(data(null)))
  const node = (value: number, next: string) =>
    keccak256(concat([id('Node(uint256 value,Node next)'), toBeHex(value, 32), next]))
  const message = node(1, node(2, toBeHex(0, 32)))
  t.equal(ours(data(null)), keccak256(concat(['0x1901', TypedDataEncoder.hashDomain({}), message])))
  const domainOnly = { types: MAIL.types, primaryType: 'EIP712Domain', domain: MAIL.domain }
  t.equal(ours(domainOnly), viemHash(domainOnly as unknown as Parameters<typeof viemHash>[0]))
  t.end()
})

const hex = (minimum: number, maximum: number) =>
  fc
    .uint8Array({ minLength: minimum, maxLength: maximum })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)

/** A type without structs and values of it. */
const atomic = fc.oneof(
  fc.integer({ min: 1, max: 32 }).map((size) => {
    const bits = BigInt(8 * size)
    return {
      type: `uint${bits}`,
      value: fc.bigInt({ min: 0n, max: 2n ** bits - 1n }).map(String),
    }
  }),
  fc.integer({ min: 1, max: 32 }).map((size) => {
    const bits = BigInt(8 * size)
    const half = 2n ** (bits - 1n)
    return { type: `int${bits}`, value: fc.bigInt({ min: -half, max: half - 1n }).map(String) }
  }),
  fc.integer({ min: 1, max: 32 }).map((size) => ({ type: `bytes${size}`, value: hex(size, size) })),
  fc.constant({ type: 'bytes', value: hex(0, 100) }),
  fc.constant({ type: 'address', value: hex(20, 20) }),
  fc.constant({ type: 'string', value: fc.string({ unit: 'grapheme' }) }),
  fc.constant({ type: 'bool', value: fc.boolean() }),
)

const field = fc
  .tuple(atomic, fc.constantFrom('', '[]', '[2]', '[][2]'))
  .chain(([{ type, value }, suffix]) => {
    const values: fc.Arbitrary<unknown> = value
    const list = (length?: number, of: fc.Arbitrary<unknown> = values) =>
      length === undefined
        ? fc.array(of, { maxLength: 4 })
        : fc.array(of, { minLength: length, maxLength: length })
    const arrays = { '': values, '[]': list(), '[2]': list(2), '[][2]': list(2, list()) }
    return fc.record({ type: fc.constant(`${type}${suffix}`), value: arrays[suffix as keyof typeof arrays] })
  })

t.test('random messages hash as in viem and ethers', (t) => {
  fc.assert(
    fc.property(
      fc.array(field, { minLength: 1, maxLength: 6 }),
      fc.array(field, { maxLength: 3 }),
      (own, inner) => {
        const fields = (list: readonly { type: string }[]) =>
          list.map(({ type }, i) => ({ name: `m${i}`, type }))
        const values = (list: readonly { value: unknown }[]) =>
          Object.fromEntries(list.map(({ value }, i) => [`m${i}`, value]))
        const data = {
          types: { Outer: [...fields(own), { name: 'inner', type: 'Inner[]' }], Inner: fields(inner) },
          primaryType: 'Outer',
          domain: MAIL.domain,
          message: { ...values(own), inner: [values(inner), values(inner)] },
        }
        const found = ours(data)
        return (
          found === viemHash(data as unknown as Parameters<typeof viemHash>[0]) &&
          found === TypedDataEncoder.hash(data.domain, data.types, data.message)
        )
      },
    ),
    { numRuns: 300 },
  )
  t.end()
})

/** The message of the refusal. */
function refusal(data: unknown): string {
  try {
    ours(data)
  } catch (error) {
    if (error instanceof WalletError && error.code === 'TYPED_DATA') return error.message
    throw error
  }
  return 'none'
}

t.test('what does not fit is refused by its name', (t) => {
  const of = (type: string, value: unknown) =>
    refusal({ types: { A: [{ name: 'a', type }] }, primaryType: 'A', domain: {}, message: { a: value } })
  t.match(of('uint8', 256), /message\.a: 256 is no uint8/)
  t.match(of('uint8', -1), /message\.a: -1 is no uint8/)
  t.match(of('int8', 128), /message\.a: 128 is no int8/)
  t.match(of('uint256', 2 ** 60), /is no uint256/, 'a JSON number beyond 2^53 has lost digits')
  t.match(of('uint256', '1.5'), /is no uint256/)
  t.match(of('uint256', '9'.repeat(100)), /is no uint256/)
  t.match(of('uint256', undefined), /nothing is no uint256/)
  t.match(of('bytes4', '0x010203'), /is no bytes4/)
  t.match(of('bytes', '0x0'), /is no bytes/)
  t.match(of('address', '0x00'), /is no address/)
  t.match(of('bool', 'true'), /is no bool/)
  t.match(of('string', 5), /is no string/)
  t.match(of('uint7', 5), /no type "uint7"/)
  t.match(of('bytes33', '0x'), /no type "bytes33"/)
  t.match(of('Nobody', {}), /no type "Nobody"/)
  t.match(of('uint8[2]', [1]), /array of 2 expected, got 1/)
  t.match(of('uint8[]', 1), /message\.a must be an array/)
  t.match(of('A', 5), /message\.a must be an object/)
  t.match(of('uint8[]', new Array(30_000).fill(1)), /more than 20000 values/)
  t.match(refusal('{'), /no JSON/)
  t.match(refusal(null), /must be an object/)
  t.match(refusal({ ...MAIL, primaryType: 'Letter' }), /primaryType/)
  t.match(refusal({ ...MAIL, primaryType: 'toString' }), /primaryType/)
  t.match(refusal({ ...MAIL, types: { Mail: {} } }), /types\.Mail must be an array/)
  t.match(refusal({ ...MAIL, types: { Mail: [{ name: 'a' }] } }), /a name and a type/)
  t.match(refusal({ ...MAIL, types: { 'A B': [] } }), /no name of a struct/)
  t.match(refusal({ ...MAIL, message: [] }), /message must be an object/)
  let deep: unknown = null
  for (let i = 0; i < 10_000; i++) deep = { a: deep }
  t.match(of('A', deep), /nested deeper than 64/)
  const chain = `uint8${'[]'.repeat(100)}`
  let nested: unknown = 1
  for (let i = 0; i < 100; i++) nested = [nested]
  t.match(of(chain, nested), /nested deeper than 64/)
  t.end()
})
