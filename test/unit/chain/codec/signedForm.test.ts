import fc from 'fast-check'
import t from 'tap'
import { acceptsSignature } from '../../../../src/chain/codec/signature.ts'
import { CURVE_ORDER } from '../../../../src/chain/codec/signatureWithoutS.ts'
import { hasSignedForm } from '../../../../src/chain/codec/signedForm.ts'
import { Transaction } from '../../../../src/chain/codec/transaction.ts'
import { parseTransaction } from '../../../../src/chain/codec/transactionDecoder.ts'
import { signedTransaction, type TestTransaction } from '../../../support/signedTransaction.ts'

const REGTEST = 33
const NOTHING = Buffer.alloc(0)

const number = fc.bigInt({ min: 0n, max: 2n ** 256n })
const given: fc.Arbitrary<TestTransaction> = fc.record({
  nonce: fc.bigInt({ min: 0n, max: 2n ** 64n }),
  gasPrice: fc.option(number, { nil: null }),
  gasLimit: fc.bigInt({ min: 1n, max: 2n ** 64n }),
  to: fc.constantFrom(NOTHING, Buffer.alloc(20, 0xaa), Buffer.alloc(20)),
  value: number,
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  chainId: fc.constantFrom(0, REGTEST),
})

/** Whether bytes are a transaction that the chain may have in a block. */
function isOfChain(encoded: Buffer, chainId: number): boolean {
  try {
    const transaction = parseTransaction(encoded)
    return transaction.fields.gasLimitBytes.length > 0 && acceptsSignature(transaction, chainId)
  } catch {
    return false
  }
}

t.test('every transaction as it is sent has the form', (t) => {
  fc.assert(
    fc.property(given, (fields) => hasSignedForm(signedTransaction(fields).encoded, REGTEST)),
    { numRuns: 300 },
  )
  for (const length of [70_000, 17_000_000]) {
    t.ok(hasSignedForm(signedTransaction({ data: Buffer.alloc(length, 7) }).encoded, REGTEST), `${length}`)
  }
  t.end()
})

t.test('what has not the form is none, but for unusual encodings', (t) => {
  const source = signedTransaction({ data: Buffer.alloc(3, 9) }).encoded
  const changed = fc
    .record({ at: fc.nat(source.length - 1), byte: fc.nat(255), end: fc.integer({ min: -3, max: 3 }) })
    .map(({ at, byte, end }) => {
      const bytes = Buffer.concat([source, Buffer.alloc(3)]).subarray(0, source.length + end)
      if (at < bytes.length) bytes[at] = byte
      return Buffer.from(bytes)
    })
  fc.assert(
    fc.property(changed, (bytes) => {
      if (hasSignedForm(bytes, REGTEST) || !isOfChain(bytes, REGTEST)) return true
      return !parseTransaction(bytes).encoded.equals(bytes)
    }),
    { numRuns: 5000 },
  )
  t.end()
})

t.test('faults that need no decoding are seen', (t) => {
  const good = signedTransaction()
  const { signature } = good.fields
  if (signature === null) throw new Error('it is signed')
  const signedWith = (fields: object) =>
    new Transaction({ ...good.fields, signature: { ...signature, ...fields } }).encoded
  const { encoded } = good
  const faults: Readonly<Record<string, Buffer>> = {
    nothing: NOTHING,
    text: Buffer.from('no transaction'),
    'a list of three': Buffer.from('c3010203', 'hex'),
    'a type': Buffer.concat([Buffer.from([2]), encoded]),
    'cut off': encoded.subarray(0, -1),
    'a byte behind it': Buffer.concat([encoded, Buffer.from([0])]),
    'a list of ten': Buffer.concat([
      Buffer.from([0xf8, encoded.length - 1]),
      encoded.subarray(2),
      Buffer.from([5]),
    ]),
    'another chain': signedTransaction({ chainId: 30 }).encoded,
    'no gas limit': signedTransaction({ gasLimitBytes: NOTHING }).encoded,
    'a receiver of 19 bytes': signedTransaction({ to: Buffer.alloc(19, 1) }).encoded,
    'nobody signed it': new Transaction({ ...good.fields, signature: null }).encoded,
    's of the upper half': signedWith({ s: CURVE_ORDER - 1n }),
    'r of 33 bytes': signedWith({ r: 2n ** 263n }),
    's of 33 bytes': signedWith({ s: 2n ** 263n }),
  }
  for (const [what, bytes] of Object.entries(faults)) {
    t.equal(hasSignedForm(bytes, REGTEST), false, what)
    t.equal(isOfChain(bytes, REGTEST), false, `${what} is none`)
  }
  t.end()
})
