import type { Signer } from '../../wallet/interface.ts'
import type { NodeContext } from '../context.ts'
import { defineMethod } from '../defineMethod.ts'
import type { PlacedTransaction } from '../devCommands.ts'
import { invalidParams } from '../errors.ts'
import { localWallet, unlockedSigner } from '../guards/wallet.ts'
import { boundedNumber } from '../params/boundedNumber.ts'
import { optional } from '../params/param.ts'
import { type BlockPlacement, placedTransactions } from '../params/placedTransactions.ts'
import type { TransactionObject } from '../params/transactionObject.ts'
import { impersonatingSigner } from '../sending/impersonation.ts'
import { signLocalTransaction } from '../sending/localTransaction.ts'

/**
 * A reorganisation on demand, as anvil has it: the newest blocks are replaced by as many others, which hold the given
 * transactions and nothing else. Nonces that are not given follow from the state of the common ancestor.
 */
export const reorg = defineMethod({
  name: 'anvil_reorg',
  aliases: ['hardhat_reorg'],
  doc: 'Replaces the newest blocks, as many as depth says, by as many others with the given [transaction, block index] pairs.',
  params: [
    boundedNumber('depth', Number.MAX_SAFE_INTEGER),
    optional(placedTransactions(), [] as readonly BlockPlacement[]),
  ],
  result: { type: 'null' },
  lane: 'chain',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: async (context, [depth, placements]) => {
    const { commands, chain, front } = context
    const { number: height } = chain.head()
    if (depth > height) throw invalidParams(`Invalid depth ${depth}: the chain has ${height} blocks`)
    const beyond = placements.find(({ index }) => index >= depth)
    if (beyond !== undefined) {
      throw invalidParams(`Invalid block index ${beyond.index}: ${depth} blocks are made, the first is 0`)
    }
    const sorted = placements.toSorted((a, b) => a.index - b.index)
    await commands.dev.reorganise(depth, await encodeAll(context, sorted, height - depth), front?.signal?.())
    return null
  },
})

/** The RLP of each; what is not signed yet is signed with nonces that go on from those after the common ancestor. */
async function encodeAll(
  context: NodeContext,
  placements: readonly BlockPlacement[],
  ancestor: number,
): Promise<PlacedTransaction[]> {
  const header = context.chain.headerByNumber(ancestor)
  if (header === null) throw new Error(`the canonical chain has no block ${ancestor}`)
  const state = context.state.at(header)
  const nonces = new Map<string, bigint>()
  const encoded: PlacedTransaction[] = []
  for (const { transaction, index } of placements) {
    if (Buffer.isBuffer(transaction)) {
      encoded.push({ encoded: transaction, index })
      continue
    }
    const signer = signerOf(context, transaction)
    const account = signer.address.toString('hex')
    const nonce = transaction.nonce ?? nonces.get(account) ?? state.account(signer.address)?.nonce ?? 0n
    nonces.set(account, nonce + 1n)
    const signed = await signLocalTransaction(context, signer, { ...transaction, nonce }, 'written')
    encoded.push({ encoded: signed.encoded, index })
  }
  return encoded
}

/** @throws RpcError -32602 for an account that nobody can sign for */
function signerOf(context: NodeContext, { from }: TransactionObject): Signer {
  if (from !== null && context.impersonated.has(from)) return impersonatingSigner(from)
  const wallet = localWallet(context)
  const account = from ?? wallet.addresses()[0]
  if (account === undefined) throw invalidParams('from is null')
  return unlockedSigner(wallet, account)
}
