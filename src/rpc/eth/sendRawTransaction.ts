import { CodecError } from '../../chain/codec/errors.ts'
import { RlpError, type RlpFault } from '../../chain/codec/rlpReader.ts'
import { acceptsSignature } from '../../chain/codec/signature.ts'
import { hasSignedForm } from '../../chain/codec/signedForm.ts'
import type { Transaction } from '../../chain/codec/transaction.ts'
import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import type { SendOutcome } from '../../txpool/interface.ts'
import { toHex } from '../../util/bytes.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import { invalidParams } from '../errors.ts'
import { data } from '../params/hex.ts'
import { chainIdOfWideV, wrongChainId } from '../sending/chainIds.ts'
import { transactionRefused } from '../sending/refused.ts'
import { reportingRefusals, sentBy } from '../sending/sentBy.ts'
import { assertLegacy } from '../sending/typedTransaction.ts'

const NAME = 'eth_sendRawTransaction'

/** Hash of a signed transaction that the pool took (rpc.md §3.4). */
export const sendRawTransaction = defineMethod({
  name: NAME,
  doc: 'Sends a signed transaction.',
  params: [data('transaction')],
  result: { type: 'string' },
  lane: 'chain',
  cost: 10,
  cache: 'none',
  handler: async (context, [encoded]) => {
    const send = () => sendEncoded(sentBy(context, NAME), encoded)
    return toHex(await (context.reports === undefined ? send() : reportingRefusals(context, NAME, send)))
  },
})

/**
 * Offers a signed transaction to the pool, which decodes it. Decoded here is only what has not the form of one, before it
 * costs the chain thread anything, and what the pool does not take, for the reason that the sender gets: a fault of
 * the bytes themselves comes before any other.
 * @returns its hash
 * @throws RpcError for bytes that are no transaction of this chain, and when the pool refuses it
 */
export async function sendEncoded(
  { commands, node }: Pick<NodeContext, 'commands' | 'node'>,
  encoded: Buffer,
): Promise<Buffer> {
  if (!hasSignedForm(encoded, node.chainId)) assertOfThisChain(encoded, node.chainId)
  let outcome: SendOutcome
  try {
    outcome = await commands.sendTransaction(encoded)
  } catch (error) {
    assertOfThisChain(encoded, node.chainId)
    throw error
  }
  if (outcome.status === 'accepted') return outcome.hash
  assertOfThisChain(encoded, node.chainId)
  throw transactionRefused(outcome)
}

/** @throws RpcError kind `invalidParams` for bytes that are no transaction of this chain, or lack a gas limit */
function assertOfThisChain(encoded: Buffer, ownChainId: number): void {
  const transaction = decode(encoded, ownChainId)
  if (transaction.fields.gasLimitBytes.length === 0) {
    throw invalidParams('Missing parameter, gasPrice, gas or value')
  }
  if (acceptsSignature(transaction, ownChainId)) return
  const { chainId } = transaction.fields
  // The reference's text for any signature that a block may not have.
  throw chainId === 0 || chainId === ownChainId
    ? invalidParams(`Invalid chainId: ${chainId}`)
    : wrongChainId(chainId, ownChainId)
}

/** @throws RpcError kind `invalidParams` for bytes that are no transaction of this chain */
function decode(encoded: Buffer, ownChainId: number): Transaction {
  assertLegacy(encoded)
  try {
    return parseTransaction(encoded)
  } catch (error) {
    if (error instanceof CodecError && error.code === 'TRANSACTION_FIELD') {
      throw invalidParams(
        `invalid argument 0: hex string has length ${encoded.length * 2}, want 40 for RSK address`,
        { cause: error },
      )
    }
    if (error instanceof CodecError && error.code === 'TRANSACTION_SIGNATURE') {
      const foreign = chainIdOfWideV(encoded)
      if (foreign !== null) throw wrongChainId(foreign, ownChainId)
    }
    if (error instanceof RlpError || error instanceof CodecError) {
      throw invalidParams(`Invalid input: ${describe(error)}`, { cause: error })
    }
    throw error
  }
}

/** The reference's words for the two faults that it names; clients and recordings know them. */
const RLP_FAULTS: Readonly<Partial<Record<RlpFault, string>>> = {
  overrun: "The RLP byte array doesn't have enough space to hold an element with the specified length",
  length: "The length of the RLP item can't be negative",
}

function describe(error: RlpError | CodecError): string {
  return (error instanceof RlpError ? RLP_FAULTS[error.fault] : undefined) ?? error.message
}
