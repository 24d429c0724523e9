import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS } from '../support/accounts.ts'
import type { NodeProcess } from '../support/nodeProcess.ts'

/** What exists on the chain under test, so that valid requests find something. */
export interface Facts {
  readonly account: string
  readonly token: string
  readonly failures: string
  readonly blockHash: string
  readonly transactionHash: string
  /** Signed, and already mined: a valid encoding that the pool refuses. */
  readonly rawTransaction: string
  /** RLP of a block that is there already. */
  readonly rawBlock: string
}

/** Deploys contracts on a development node and says what there is now. */
export async function createMetadata(node: Pick<NodeProcess, 'request'>): Promise<Facts> {
  const deploy = async (contract: 'Token' | 'Failures', args: string) => {
    const data = `${readArtefact(contract).bytecode}${args}`
    const request = { from: COW_ADDRESS, data, gas: '0x300000', gasPrice: '0x1' }
    const hash = await node.request<string>('eth_sendTransaction', [request])
    for (;;) {
      const receipt = await node.request<Receipt | null>('eth_getTransactionReceipt', [hash])
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const token = await deploy('Token', 'f'.repeat(64).replace(/^f/, '0'))
  const failures = await deploy('Failures', '')
  return {
    account: COW_ADDRESS,
    token: token.contractAddress,
    failures: failures.contractAddress,
    blockHash: token.blockHash,
    transactionHash: token.transactionHash,
    rawBlock: await node.request('debug_getRawBlock', [token.blockHash]),
    rawTransaction: await node.request('debug_getRawTransaction', [token.transactionHash]),
  }
}

interface Receipt {
  readonly contractAddress: string
  readonly blockHash: string
  readonly transactionHash: string
}
