import { setTimeout as sleep } from 'node:timers/promises'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { RpcError } from '../errors.ts'
import { minedAnswer } from '../format/minedAnswer.ts'
import { data } from '../params/hex.ts'
import { optional, type Param } from '../params/param.ts'
import { sentBy } from '../sending/sentBy.ts'
import { sendEncoded } from './sendRawTransaction.ts'

/** Milliseconds that a caller waits who names none, and the most that one may name. */
const USUAL_WAIT_MILLISECONDS = 2000
const MAX_WAIT_MILLISECONDS = 10_000
/** Milliseconds between two looks: the first, and the longest. */
const FIRST_PAUSE_MILLISECONDS = 5
const MAX_PAUSE_MILLISECONDS = 500

const NAME = 'eth_sendRawTransactionSync'

/** Receipt of a transaction that is sent and then waited for (EIP-7966; decisions.md D50). */
export const sendRawTransactionSync = defineMethod({
  name: NAME,
  doc: 'Sends a signed transaction and answers its receipt, or error 4 when it is not mined in time (2 s, or as many milliseconds as the second parameter says, up to 10,000).',
  params: [data('transaction'), optional(wait(), USUAL_WAIT_MILLISECONDS)],
  result: { type: 'object' },
  lane: 'chain',
  cost: 12,
  cache: 'none',
  handler: async (context, [encoded, milliseconds]) => {
    const signal = context.front?.signal?.()
    const hash = await sendEncoded(sentBy(context, NAME, true), encoded)
    const end = performance.now() + milliseconds
    for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, MAX_PAUSE_MILLISECONDS)) {
      const receipt = newestReceipt(context, hash)
      if (receipt !== null) return receipt
      if (pause === FIRST_PAUSE_MILLISECONDS && (await waitsForOthers(context, hash))) {
        throw new RpcError('sentUnready', undefined, { data: toHex(hash) })
      }
      const left = end - performance.now()
      if (left <= 0) {
        const message = `The transaction was added to the pool but was not mined in ${milliseconds} ms.`
        throw new RpcError('sentTimeout', message, { data: toHex(hash) })
      }
      await pauseFor(Math.min(pause, left), signal)
    }
  },
})

/** @throws RpcError the reason of the signal */
async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    throw error
  }
}

/** The receipt as of now, whatever moment the thread reads otherwise. */
function newestReceipt(context: NodeContext, hash: Buffer) {
  context.refresh()
  try {
    return minedAnswer(context, 'receipt', hash)
  } finally {
    context.release()
  }
}

/** True when the transaction waits for an earlier nonce. */
async function waitsForOthers(context: NodeContext, hash: Buffer): Promise<boolean> {
  return (await context.pool.queued()).some((queued) => queued.hash.equals(hash))
}

/** Milliseconds as a number or a QUANTITY; what is no such time counts as absent (EIP-7966). */
function wait(): Param<number> {
  return {
    name: 'timeout',
    schema: {
      oneOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', pattern: '^0x[0-9a-f]+$' },
      ],
    },
    optional: true,
    parse: (value) => {
      const given = typeof value === 'string' && /^0x[0-9a-fA-F]{1,8}$/.test(value) ? Number(value) : value
      return Number.isSafeInteger(given) && Number(given) > 0 && Number(given) <= MAX_WAIT_MILLISECONDS
        ? Number(given)
        : USUAL_WAIT_MILLISECONDS
    },
  }
}
