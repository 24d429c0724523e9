import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { readTransactions } from '../../chain/codec/readTransactions.ts'
import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { parseTransaction } from '../../chain/codec/transactionDecoder.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { toExecutable } from '../../execution/executableTransaction.ts'
import type { BlockBodies } from '../../mining/blockProducer.ts'
import type { PlacedTransaction } from '../../rpc/devCommands.ts'
import { invalidParams } from '../../rpc/errors.ts'

/**
 * The transactions of blocks that are to be made, in the order in which they were given. Those that no block may hold
 * are left out.
 * @throws RpcError -32602 for bytes that are no transaction
 */
export async function readBodies(
  spec: NetworkSpec,
  placed: readonly PlacedTransaction[],
): Promise<BlockBodies> {
  const read = await readTransactions(
    placed.map(({ encoded }) => encoded),
    spec.chainId,
  )
  const bodies = new Map<number, SignedTransaction[]>()
  for (const [at, { encoded, index }] of placed.entries()) {
    const found = read[at]
    if (found === undefined || found instanceof Error) {
      throw invalidParams(`Invalid transaction ${at}: ${found?.message}`, { cause: found })
    }
    const signed = readImpersonated(encoded) ?? found
    if (signed === null || toExecutable(signed.transaction, signed.sender, spec.chainId) === null) continue
    const body = bodies.get(index)
    if (body === undefined) bodies.set(index, [signed])
    else body.push(signed)
  }
  return bodies
}

/** A transaction that carries its sender in place of a signature; null for another one. */
function readImpersonated(encoded: Buffer): SignedTransaction | null {
  const transaction = parseTransaction(encoded)
  const sender = impersonatedSender(transaction)
  return sender === null ? null : { transaction, sender }
}
