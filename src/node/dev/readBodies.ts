import { impersonatedSender } from '../../chain/codec/impersonated.ts'
import { readTransactions } from '../../chain/codec/readTransactions.ts'
import { acceptsSignature } from '../../chain/codec/signature.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { toExecutable } from '../../execution/executableTransaction.ts'
import type { BlockBodies } from '../../mining/blockProducer.ts'
import type { PlacedTransaction } from '../../rpc/devCommands.ts'
import { invalidParams } from '../../rpc/errors.ts'
import type { SignedTransaction } from '../../txpool/interface.ts'

/**
 * The transactions of blocks that are to be made, in the order in which they were given. Those that no block may hold
 * are left out.
 * @throws RpcError -32602 for bytes that are no transaction
 */
export async function readBodies(
  spec: NetworkSpec,
  placed: readonly PlacedTransaction[],
): Promise<BlockBodies> {
  const read = await readTransactions(placed.map(({ encoded }) => encoded))
  const bodies = new Map<number, SignedTransaction[]>()
  for (const [place, { index }] of placed.entries()) {
    const found = read[place]
    if (found === undefined || found instanceof Error) {
      throw invalidParams(`Invalid transaction ${place}: ${found?.message}`, { cause: found })
    }
    const { transaction } = found
    const impersonated = impersonatedSender(transaction)
    const sender = impersonated ?? found.sender
    if (sender === null || toExecutable(transaction, sender, spec.chainId) === null) continue
    if (impersonated === null && !acceptsSignature(transaction, spec.chainId)) continue
    const body = bodies.get(index)
    if (body === undefined) bodies.set(index, [{ transaction, sender }])
    else body.push({ transaction, sender })
  }
  return bodies
}
