import { setTimeout as sleep } from 'node:timers/promises'
import { type Abi, encodeFunctionData } from 'viem'
import { toHex } from '../../../src/util/bytes.ts'
import { readArtefact } from '../../contracts/artefact.ts'
import { BitcoinPool } from '../../support/bitcoinPool.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'
import { askPatiently } from './askPatiently.ts'
import { mineBlock } from './poolMiner.ts'

/** A contract that writes logs, and the call that has it write one. */
export interface LoggingContract {
  readonly address: string
  readonly log: Buffer
}

const CREATION_GAS = 3_000_000n
const LOOK_MS = 100
const LOOKS = 100
const LOOKS_PER_BLOCK = 20

/** Creates the contract with the first account of regtest and waits until a block has it. */
export async function createLoggingContract(url: string, random: () => number): Promise<LoggingContract> {
  const { abi, bytecode } = readArtefact('Compute')
  const creation = signedTransaction({
    to: Buffer.alloc(0),
    value: 0n,
    gasLimit: CREATION_GAS,
    data: Buffer.from(bytecode.slice(2), 'hex'),
  })
  const hash = await askPatiently<string>(url, 'eth_sendRawTransaction', [toHex(creation.encoded)])
  const pool = new BitcoinPool('/fleet/', random)
  for (let look = 0; look < LOOKS; look += 1) {
    // Work that was built before the transaction came does not have it.
    if (look % LOOKS_PER_BLOCK === 0) await mineBlock(url, pool)
    const receipt = await askPatiently<{ readonly contractAddress: string } | null>(
      url,
      'eth_getTransactionReceipt',
      [hash],
    )
    if (receipt !== null) {
      const call = encodeFunctionData({ abi: abi as Abi, functionName: 'log', args: [1n] })
      return { address: receipt.contractAddress, log: Buffer.from(call.slice(2), 'hex') }
    }
    await sleep(LOOK_MS)
  }
  throw new Error('no block has the contract')
}
