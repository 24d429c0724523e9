import { AbiCoder, Interface, ParamType } from 'ethers'
import fc from 'fast-check'
import t from 'tap'
import type { AbiParam, AbiType, AbiValue } from '../../../src/page/abi/abi.d.ts'
import { itemsOf, MAX_FILE_CHARACTERS, readArtifact } from '../../../src/page/abi/artifact.js'
import { decodeValues } from '../../../src/page/abi/decode.js'
import { encodeValues } from '../../../src/page/abi/encode.js'
import { exampleOf, parseValue } from '../../../src/page/abi/parseValue.js'
import { typeOf, typeText } from '../../../src/page/abi/types.js'
import { readArtefact } from '../../contracts/artefact.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'
const OPTIONS = { name: 'Given', chainId: 33 }
const type = (text: string, components?: AbiParam[]): AbiType =>
  typeOf({ name: '', type: text, ...(components !== undefined && { components }) })

const SAMPLES: readonly (readonly [type: string, value: unknown, written: string])[] = [
  ['uint256', 2n ** 256n - 1n, String(2n ** 256n - 1n)],
  ['uint8', 255n, '0xff'],
  ['uint256', 1_500_000_000_000_000_000n, '1.5 RBTC'],
  ['int8', -128n, '-128'],
  ['int256', -(2n ** 255n), String(-(2n ** 255n))],
  ['bool', true, 'true'],
  ['address', `0x${'ab'.repeat(20)}`, `0x${'AB'.repeat(20)}`],
  ['bytes4', '0x01020304', '0x01020304'],
  ['bytes', '0x', '0x'],
  ['bytes', `0x${'cd'.repeat(33)}`, `0x${'cd'.repeat(33)}`],
  ['string', HOSTILE, HOSTILE],
  ['uint256[]', [1n, 2n, 3n], '[1, "2", "0x3"]'],
  [
    'uint8[2][]',
    [
      [1n, 2n],
      [3n, 4n],
    ],
    '[[1,2],[3,4]]',
  ],
  ['string[2]', ['a', 'ä'], '["a","ä"]'],
]

t.test('values are written as a library writes them, and read back', (t) => {
  const coder = AbiCoder.defaultAbiCoder()
  for (const [text, value, written] of SAMPLES) {
    const parsed = parseValue(type(text), written)
    t.same(parsed, value, written)
    const encoded = `0x${encodeValues([type(text)], [parsed])}`
    t.equal(encoded, coder.encode([text], [value]), text)
    t.same(decodeValues([type(text)], encoded), [value], text)
  }
  const types = SAMPLES.map(([text]) => text)
  const values = SAMPLES.map(([, value]) => value)
  const all = `0x${encodeValues(
    types.map((text) => type(text)),
    values as AbiValue[],
  )}`
  t.equal(all, coder.encode(types, values))
  t.same(
    decodeValues(
      types.map((text) => type(text)),
      all,
    ),
    values,
  )
  t.end()
})

t.test('structures', (t) => {
  const components = [
    { name: 'id', type: 'uint256' },
    { name: 'notes', type: 'string[]' },
  ]
  const list = type('tuple[]', components)
  t.equal(typeText(list), '(uint256,string[])[]')
  t.equal(exampleOf(list), '[[0, ["text"]]]')
  const parsed = parseValue(list, '[[1, ["a"]], {"notes": [], "id": "2"}]')
  t.same(parsed, [
    [1n, ['a']],
    [2n, []],
  ])
  const encoded = `0x${encodeValues([list], [parsed])}`
  const param = ParamType.from({ type: 'tuple[]', name: '', components })
  t.equal(encoded, AbiCoder.defaultAbiCoder().encode([param], [parsed]))
  t.same(decodeValues([list], encoded), [parsed])
  t.end()
})

t.test('what does not fit is refused with a sentence', (t) => {
  for (const [text, written] of [
    ['uint8', '256'],
    ['uint8', '-1'],
    ['uint256', '1.5'],
    ['uint256', ''],
    ['uint256[]', '[9007199254740993]'],
    ['uint256[]', '{}'],
    ['uint256[2]', '[1]'],
    ['uint256[]', '[1'],
    ['bool', 'yes'],
    ['address', '0x12'],
    ['bytes4', '0x01'],
    ['bytes', '0x1'],
  ] as const) {
    t.throws(() => parseValue(type(text), written), { message: /\.$/ }, `${text} ${written}`)
  }
  for (const text of [
    'uint7',
    'uint264',
    'int0',
    'bytes33',
    'bytes0',
    'fixed',
    'uint256[',
    'uint256[99999]',
    HOSTILE,
  ]) {
    t.throws(() => type(text), { message: /type|long/ }, text)
  }
  t.throws(() => type(`uint256${'[]'.repeat(20)}`), { message: /nested/ })
  t.end()
})

t.test('data of strangers is never taken for more than it is', (t) => {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  // An array that claims 2^32 structures of no size.
  const empty = typeOf({ name: '', type: 'tuple[]', components: [] })
  t.equal(decodeValues([empty], `0x${word(32n)}${word(2n ** 32n)}`), null)
  t.equal(decodeValues([type('uint256[10000]')], '0x'), null)
  // An offset onto itself, again and again.
  t.equal(decodeValues([type('uint256[][][][]')], `0x${word(0n).repeat(4)}`)?.length ?? 0, 1)
  t.equal(decodeValues([type('bytes')], `0x${word(32n)}${word(2n ** 255n)}`), null)
  t.equal(decodeValues([type('address')], `0x${word(2n ** 160n)}`), null)
  t.equal(decodeValues([type('bool')], `0x${word(2n)}`), null)
  t.equal(decodeValues([type('int8')], `0x${word(128n)}`), null)
  t.equal(decodeValues([type('bytes4')], `0x${'ff'.repeat(32)}`), null)
  const types = SAMPLES.map(([text]) => type(text))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const values = decodeValues(types, `0x${Buffer.from(bytes).toString('hex')}`)
      return values === null || values.length === types.length
    }),
    { numRuns: 200 },
  )
  t.end()
})

t.test('artifacts of all tools are read, with the selectors of a library', (t) => {
  const { abi, deployedBytecode } = readArtefact('Failures')
  const library = new Interface(abi as never)
  const forms = {
    list: abi,
    hardhat: { contractName: 'Failures', abi, deployedBytecode },
    foundry: { abi, deployedBytecode: { object: deployedBytecode } },
    truffle: { contractName: 'Failures', abi, networks: { 33: { address: `0x${'Ab'.repeat(20)}` } } },
  }
  for (const [tool, artifact] of Object.entries(forms)) {
    const read = readArtifact(JSON.stringify(artifact), OPTIONS)
    t.equal(read.name, 'contractName' in artifact ? 'Failures' : 'Given', tool)
    const items = itemsOf(read.abi)
    t.equal(items.length, library.fragments.filter(({ type }) => type !== 'constructor').length)
    for (const { kind, id, signature } of items) {
      if (kind === 'function') t.equal(id, library.getFunction(signature)?.selector, signature)
      if (kind === 'error') t.equal(id, library.getError(signature)?.selector, signature)
    }
  }
  t.equal(
    readArtifact(JSON.stringify(forms.hardhat), OPTIONS).codeHash,
    readArtifact(JSON.stringify(forms.foundry), OPTIONS).codeHash,
  )
  t.same(readArtifact(JSON.stringify(forms.truffle), OPTIONS).deployments, [
    { address: `0x${'ab'.repeat(20)}`, codeHash: null },
  ])
  t.same(readArtifact(JSON.stringify(forms.truffle), { ...OPTIONS, chainId: 30 }).deployments, [])
  const events = itemsOf(readArtifact(JSON.stringify(readArtefact('Token').abi), OPTIONS).abi)
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  t.match(
    events.find(({ name, kind }) => kind === 'event' && name === 'Transfer'),
    { id: transfer },
  )
  t.end()
})

t.test('what is no artifact is refused, and no more of one is kept than the page reads', (t) => {
  for (const text of [
    '',
    '{',
    '1',
    'null',
    '{}',
    '[]',
    '[null]',
    '[{"type":"function"}]',
    '[{"type":"function","name":"f","inputs":[{}]}]',
    '[{"type":"function","name":"f","inputs":[null]}]',
    '[{"type":"function","name":"f","inputs":{}}]',
    '[{"type":"function","name":"f","inputs":[{"type":"uint7"}]}]',
    JSON.stringify([{ type: 'function', name: 'f'.repeat(200), inputs: [] }]),
    JSON.stringify(Array(2000).fill({ type: 'function', name: 'f', inputs: [] })),
    ' '.repeat(MAX_FILE_CHARACTERS + 1),
  ]) {
    t.throws(() => readArtifact(text, OPTIONS), { message: /^[A-Z"].*\.$/ }, text.slice(0, 60))
  }
  const { abi } = readArtifact(
    `[{"type":"function","name":"f","inputs":[{"type":"uint","name":"${'x'.repeat(500)}","internalType":"y"}],"__proto__":{"polluted":1},"extra":1}]`,
    OPTIONS,
  )
  t.same(Object.keys(abi[0] ?? {}).sort(), ['inputs', 'name', 'outputs', 'stateMutability', 'type'])
  t.notMatch(JSON.stringify(abi), 'x'.repeat(129))
  t.equal(itemsOf(abi)[0]?.signature, 'f(uint256)')
  t.end()
})
