import { type AccountProofAnswer, verifyAccountProof } from '../proof/accountProof.ts'
import type { NodeProcess } from '../support/nodeProcess.ts'

/** A verified answer of eth_getProof. */
export interface VerifiedProof {
  /** Whether the account exists. */
  readonly exists: boolean
  readonly answer: AccountProofAnswer
}

/**
 * Asks for a proof at a block and verifies it against that block's state root with the independent verifier.
 * @throws ProofError when it does not hold
 */
export async function fetchVerifiedProof(
  node: Pick<NodeProcess, 'request'>,
  address: string,
  slots: readonly string[],
  block = 'latest',
): Promise<VerifiedProof> {
  const { stateRoot, number } = await node.request<{ stateRoot: string; number: string }>(
    'eth_getBlockByNumber',
    [block, false],
  )
  const answer = await node.request<AccountProofAnswer>('eth_getProof', [address, slots, number])
  const exists = verifyAccountProof(Buffer.from(stateRoot.slice(2), 'hex'), answer)
  return { exists, answer }
}
