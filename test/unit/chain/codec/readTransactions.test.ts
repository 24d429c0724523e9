import fc from 'fast-check'
import t from 'tap'
import { readTransactions } from '../../../../src/chain/codec/readTransactions.ts'
import { encodeBytes, encodeList } from '../../../../src/chain/codec/rlpWriter.ts'
import { acceptsSignature, recoverSenders } from '../../../../src/chain/codec/signature.ts'
import type { Transaction } from '../../../../src/chain/codec/transaction.ts'
import { parseTransaction } from '../../../../src/chain/codec/transactionDecoder.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'

/** What is compared of a transaction. */
function shown(transaction: Transaction, sender: Buffer) {
  const { fields, encoded, hash, signingHash, isRemasc } = transaction
  return { fields, encoded, hash, signingHash, isRemasc, sender }
}

/** As the transaction is decoded element by element in JavaScript. */
function decoded(encoded: Buffer, chainId: number) {
  try {
    const transaction = parseTransaction(encoded)
    const sender = recoverSenders([transaction])[0] ?? null
    return sender !== null && acceptsSignature(transaction, chainId) ? shown(transaction, sender) : null
  } catch (error) {
    return String(error)
  }
}

async function read(encoded: readonly Buffer[], chainId: number) {
  const all = await readTransactions(encoded, chainId)
  return all.map((item) =>
    item === null ? null : item instanceof Error ? String(item) : shown(item.transaction, item.sender),
  )
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))

/** Amounts as they are, with a zero in front, and of one zero byte. */
const amount = fc.oneof(
  bytes(33),
  fc.constantFrom(Buffer.of(), Buffer.of(0), Buffer.of(0, 1), Buffer.of(1), Buffer.of(0x80)),
)

const signed = fc
  .record({
    nonceBytes: amount,
    gasPrice: fc.option(fc.bigInt({ min: 0n, max: 1n << 64n })),
    gasLimitBytes: amount,
    to: fc.constantFrom(Buffer.of(), Buffer.alloc(20, 0xaa)),
    value: fc.bigInt({ min: 0n, max: 1n << 256n }),
    data: bytes(300),
    chainId: fc.constantFrom(0, 1, 30, 31, 33, 110),
  })
  .map((given) => signedTransaction(given).encoded)

/** Elements that need not be those of a transaction. */
const any = fc
  .array(fc.oneof(amount, bytes(20), fc.constantFrom(Buffer.of(27), Buffer.of(35), Buffer.of(101))), {
    minLength: 8,
    maxLength: 10,
  })
  .map((elements) => encodeList(elements.map(encodeBytes)))

const changed = fc.tuple(signed, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([encoded, at, mask]) => {
  const copy = Buffer.from(encoded)
  const place = at % copy.length
  copy[place] = (copy[place] ?? 0) ^ mask
  return copy
})

const cut = fc.tuple(signed, fc.nat()).map(([encoded, at]) => encoded.subarray(0, at % (encoded.length + 1)))

t.test('the core reads a transaction as it is decoded here, or leaves it', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(signed, any, changed, cut, bytes(80)), { maxLength: 12 }),
      fc.constantFrom(30, 31, 33),
      async (encoded, chainId) => {
        t.same(
          await read(encoded, chainId),
          encoded.map((one) => decoded(one, chainId)),
        )
      },
    ),
    { numRuns: 300 },
  )
})

t.test(
  'what is encoded otherwise than the network encodes it has the hash of its canonical form',
  async (t) => {
    const { encoded, hash } = signedTransaction({ data: Buffer.alloc(100) })
    // The head of the list with a byte more than it needs.
    const [first, length] = encoded
    t.equal(first, 0xf8)
    const long = Buffer.concat([Buffer.of(0xf9, 0, length ?? 0), encoded.subarray(2)])
    const [plain, other] = await readTransactions([encoded, long], 33)
    if (!plain || plain instanceof Error || !other || other instanceof Error) {
      t.fail('one is no transaction')
      return
    }
    t.same([plain.transaction.hash, other.transaction.hash], [hash, hash])
    t.same(other.transaction.encoded, encoded)
    t.same(other.sender, plain.sender)
  },
)
