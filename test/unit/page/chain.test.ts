import { keccak_256 } from '@noble/hashes/sha3'
import { getCreateAddress } from 'ethers'
import fc from 'fast-check'
import t from 'tap'
import { decodeName, decodeString, uintAt } from '../../../src/page/chain/abi.js'
import { checksumAddress, isAddress, nativeName } from '../../../src/page/chain/address.js'
import { formatInteger, formatRbtc, formatShare, formatUnits } from '../../../src/page/chain/amounts.js'
import { createdAddress } from '../../../src/page/chain/createdAddress.js'
import { keccak256 } from '../../../src/page/chain/keccak.js'
import { describeRevert } from '../../../src/page/chain/revert.js'
import { parseSearchTerm } from '../../../src/page/chain/searchTerm.js'
import { EVENTS, FUNCTIONS } from '../../../src/page/chain/signatures.js'
import { textInHex, visibleText } from '../../../src/page/chain/text.js'
import { snippets } from '../../../src/page/views/snippets.js'

const WORD = (value: number | bigint) => value.toString(16).padStart(64, '0')
const hexOf = (text: string) => Buffer.from(text).toString('hex')
const hashOf = (text: string) => Buffer.from(keccak_256(text)).toString('hex')

/** A text as contracts return it. */
function encoded(text: string): string {
  const bytes = hexOf(text)
  return `${WORD(32)}${WORD(Buffer.byteLength(text))}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')}`
}

t.test('Keccak-256 is that of a library', (t) => {
  for (const length of [0, 1, 134, 135, 136, 137, 271, 272, 273]) {
    const bytes = new Uint8Array(length).fill(length)
    t.equal(keccak256(bytes), Buffer.from(keccak_256(bytes)).toString('hex'), `${length} bytes`)
  }
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      (bytes) => keccak256(bytes) === Buffer.from(keccak_256(bytes)).toString('hex'),
    ),
    { numRuns: 50 },
  )
  t.end()
})

t.test('addresses have the checksum of their chain (vectors of RSKIP-60)', (t) => {
  const vectors: readonly [number, string][] = [
    [30, '0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD'],
    [30, '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359'],
    [30, '0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB'],
    [30, '0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB'],
    [31, '0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd'],
    [31, '0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359'],
    [31, '0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB'],
    [31, '0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB'],
  ]
  for (const [chainId, address] of vectors) {
    t.equal(checksumAddress(address.toLowerCase(), chainId), address)
    t.equal(checksumAddress(address.toUpperCase().replace('0X', '0x'), chainId), address)
  }
  t.notOk(isAddress('0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAe'))
  t.equal(nativeName('0x0000000000000000000000000000000001000006'), 'Bridge')
  t.equal(nativeName('0x0000000000000000000000000000000101000006'), null)
  t.end()
})

t.test('the address of a new contract is that of a library', (t) => {
  const from = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
  for (const nonce of [0n, 1n, 127n, 128n, 255n, 256n, 2n ** 40n]) {
    t.equal(createdAddress(from, nonce), getCreateAddress({ from, nonce }).toLowerCase(), `nonce ${nonce}`)
  }
  t.end()
})

t.test('amounts are exact', (t) => {
  t.equal(formatRbtc(0n), '0 RBTC')
  t.equal(formatRbtc(1n), '0.000000000000000001 RBTC')
  t.equal(formatRbtc(21_000_000n * 10n ** 18n + 10n ** 17n), '21,000,000.1 RBTC')
  t.equal(formatUnits(-1_234_500n, 3), '-1,234.5')
  t.equal(formatUnits(1234n, 0), '1,234')
  t.equal(formatInteger(2n ** 256n - 1n).replaceAll(',', ''), String(2n ** 256n - 1n))
  t.equal(formatShare(1n, 3n), '33.3 %')
  t.equal(formatShare(1n, 0n), '')
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), (wei) => {
      const [whole = '', fraction = ''] = formatUnits(wei).replaceAll(',', '').split('.')
      return BigInt(whole + fraction.padEnd(18, '0')) === wei
    }),
  )
  t.end()
})

t.test('what a revert says', (t) => {
  t.equal(describeRevert('0x'), null)
  t.equal(describeRevert(`0x08c379a0${encoded('no more <b>')}`), 'no more <b>')
  t.equal(describeRevert(`0x4e487b71${WORD(0x11)}`), 'Panic 0x11: arithmetic overflow')
  t.equal(describeRevert(`0x4e487b71${WORD(2n ** 255n)}`), `Panic 0x${(2n ** 255n).toString(16)}`)
  t.equal(describeRevert('0xabcdef01'), 'custom error 0xabcdef01')
  t.match(describeRevert(`0x08c379a0${WORD(2n ** 200n)}`), /without readable text/)
  t.end()
})

t.test('texts that contracts return', (t) => {
  t.equal(decodeString(`0x${encoded('Rhizome')}`), 'Rhizome')
  t.equal(decodeString(`0x${encoded('')}`), '')
  t.equal(decodeName(`0x${hexOf('MKR').padEnd(64, '0')}`), 'MKR')
  t.equal(decodeName(`0x${encoded('Rhizome')}`), 'Rhizome')
  for (const broken of [
    '0x',
    '0x12',
    `0x${WORD(32)}${WORD(99)}${WORD(0)}`,
    `0x${WORD(31)}${WORD(1)}${WORD(0)}`,
  ]) {
    t.equal(decodeString(broken), null, broken)
  }
  t.equal(uintAt(`0x${WORD(1)}${WORD(7)}`, 1), 7n)
  t.equal(uintAt(`0x${WORD(1)}07`, 1), null)
  t.end()
})

t.test('text of strangers is made visible', (t) => {
  t.equal(visibleText('a\u202eb\u0000\u200b'), 'a\\u{202e}b\\u{0}\\u{200b}')
  t.equal(visibleText('<script>'), '<script>')
  t.equal(visibleText('x'.repeat(1000)).length, 241)
  t.equal(textInHex('0xcf018d5268697a6f6d652d302e312e30'), 'Rhizome-0.1.0')
  t.equal(textInHex('0x00ff00ff'), null)
  t.end()
})

t.test('what is looked for', (t) => {
  const hash = 'ab'.repeat(32)
  t.same(parseSearchTerm(` 0x${hash.toUpperCase()} `), { kind: 'hash', value: `0x${hash}` })
  t.same(parseSearchTerm(hash), { kind: 'hash', value: `0x${hash}` })
  t.same(parseSearchTerm('CD2a3D9f938e13Cd947EC05aBc7fE734df8dD826'), {
    kind: 'address',
    value: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
  })
  for (const term of ['5400000', '5,400,000', '5_400_000', '0x5265c0']) {
    t.same(parseSearchTerm(term), { kind: 'number', value: '5400000' }, term)
  }
  for (const term of ['', 'pizza', '0x', '-1', '1.5', `0x${hash}00`])
    t.equal(parseSearchTerm(term), null, term)
  t.end()
})

t.test('known signatures are the hashes of their texts', (t) => {
  for (const [topic, { name }] of EVENTS) t.equal(topic, `0x${hashOf(`${name}(address,address,uint256)`)}`)
  for (const [selector, text] of FUNCTIONS) t.equal(selector, `0x${hashOf(text).slice(0, 8)}`, text)
  t.end()
})

t.test('examples quote what they are given', (t) => {
  const [curl, ethers, viem] = snippets("http://host/it's", 'eth_call', [{ data: "0x'$(id)" }])
  t.match(curl?.text, "'http://host/it'\\''s'")
  t.match(curl?.text, `"params":[{"data":"0x'\\''$(id)"}]`)
  for (const other of [ethers, viem]) t.match(other?.text, String.raw`'http://host/it\'s'`)
  t.end()
})
