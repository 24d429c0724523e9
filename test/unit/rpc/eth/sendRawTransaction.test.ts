import fc from 'fast-check'
import t from 'tap'
import { Transaction } from '../../../../src/chain/codec/transaction.ts'
import { RpcError } from '../../../../src/rpc/errors.ts'
import { sendEncoded } from '../../../../src/rpc/eth/sendRawTransaction.ts'
import type { SendOutcome } from '../../../../src/txpool/interface.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { openLocalNode } from '../../../support/localNode.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const HASH = Buffer.alloc(32, 7)
const NOTHING = Buffer.alloc(0)
const TOO_LOW: SendOutcome = { status: 'refused', reason: 'transaction nonce too low', stats: {} }

/** Sends to a chain thread that answers like this. */
function sendTo(sendTransaction: (encoded: Buffer) => Promise<SendOutcome>, encoded: Buffer) {
  return sendEncoded({ commands: { sendTransaction }, node: { chainId: 33 } } as never, encoded)
}

const taking = async (): Promise<SendOutcome> => ({ status: 'accepted', hash: HASH })
const refusing = async () => TOO_LOW
const failing = async () => {
  throw new RpcError('storeUnwritable', 'the disk is full')
}

t.test('what has the form of a transaction is not decoded before', async (t) => {
  // Only the chain thread sees that no key signs with this r.
  const { fields } = signedTransaction()
  const signature = { v: 27, r: 2n ** 256n - 1n, s: 1n }
  const { encoded } = new Transaction({ ...fields, signature })
  t.same(await sendTo(taking, encoded), HASH)
})

const FAULTS: readonly (readonly [what: string, encoded: Buffer, message: RegExp])[] = [
  ['no list', Buffer.from([0x61]), /Invalid input: /],
  ['cut off', signedTransaction().encoded.subarray(0, 40), /doesn't have enough space/],
  ['a type', Buffer.from([2, 0xc0]), /transaction type not valid: 0x2/],
  ['no gas limit', signedTransaction({ gasLimitBytes: NOTHING }).encoded, /Missing parameter, gasPrice/],
  ['another chain', signedTransaction({ chainId: 30 }).encoded, /Invalid chainId: 30, for the chain id/],
]

t.test('a fault of the bytes comes before any other', async (t) => {
  for (const [what, encoded, message] of FAULTS) {
    await t.rejects(sendTo(refusing, encoded), { kind: 'invalidParams', message }, `${what}, refused`)
    await t.rejects(sendTo(failing, encoded), { kind: 'invalidParams', message }, `${what}, beside a failure`)
  }
})

t.test('what is no transaction costs the chain thread nothing', async (t) => {
  let asked = 0
  const counting = async (): Promise<SendOutcome> => {
    asked += 1
    return { status: 'accepted', hash: HASH }
  }
  for (const [what, encoded, message] of FAULTS) {
    await t.rejects(sendTo(counting, encoded), { kind: 'invalidParams', message }, what)
  }
  t.equal(asked, 0)
  const { encoded } = signedTransaction()
  // The head of the list with a byte more than it needs: unusual, and a transaction.
  const unusual = Buffer.concat([Buffer.from([0xf9, 0]), encoded.subarray(1)])
  t.same(await sendTo(counting, unusual), HASH)
  t.equal(asked, 1)
})

t.test(
  'a flood of what is no transaction never reaches the chain thread, and what is one does',
  async (t) => {
    const { context } = openLocalNode(t, { dataDir: t.testdir() })
    let asked = 0
    const commands = {
      ...context.commands,
      sendTransaction: (encoded: Buffer) => {
        asked += 1
        return context.commands.sendTransaction(encoded)
      },
    }
    const { encoded } = signedTransaction({ data: Buffer.alloc(40, 1) })
    const cut = fc.nat(encoded.length - 1).map((length) => encoded.subarray(0, length))
    const longer = fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map((bytes) => Buffer.concat([encoded, bytes]))
    const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    const known = fc.constantFrom(...FAULTS).map(([, bytes]) => bytes)
    const rubbish = fc.sample(fc.oneof(cut, longer, random, known), { seed: 32, numRuns: 3000 })
    const sent = Array.from({ length: 30 }, (_, nonce) => signedTransaction({ nonce: BigInt(nonce) }))
    const send = (bytes: Buffer) => sendEncoded({ commands, node: context.node }, bytes)
    const flood: Promise<unknown>[] = []
    const answers = sent.map(async (transaction, index) => {
      flood.push(...rubbish.slice(index * 100, index * 100 + 100).map(send))
      t.same(await send(transaction.encoded), transaction.hash)
    })
    for (const { status, ...rest } of await Promise.allSettled(flood)) {
      if (status !== 'rejected' || !('reason' in rest) || rest.reason?.kind !== 'invalidParams')
        t.fail(`answered ${status} ${JSON.stringify(rest)}`)
    }
    await Promise.all(answers)
    t.equal(flood.length, rubbish.length)
    t.equal(asked, sent.length)
  },
)

t.test('what has no fault gets the answer of the chain thread', async (t) => {
  const { encoded } = signedTransaction()
  await t.rejects(sendTo(refusing, encoded), { kind: 'transactionRefused', message: TOO_LOW.reason })
  await t.rejects(sendTo(failing, encoded), { kind: 'storeUnwritable', message: 'the disk is full' })
})

t.test('a node answers the same', async (t) => {
  const { ask } = await openDevNode(t)
  for (const [what, encoded, message] of FAULTS) {
    const asked = ask('eth_sendRawTransaction', toHex(encoded))
    await t.rejects(asked, { message: new RegExp(`-32602 .*${message.source}`) }, what)
  }
  t.same(await ask('txpool_status'), { pending: '0x0', queued: '0x0' }, 'none is in the pool')
})
