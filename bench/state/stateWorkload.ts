import { contractAddressOf, type SignedTransaction } from '../../src/chain/codec/transaction.ts'
import { keccak256 } from '../../src/native/crypto.ts'
import { bigIntToBytes, fromHex } from '../../src/util/bytes.ts'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { encodeCall } from '../chain/callData.ts'
import { Sender } from '../chain/sender.ts'
import type { Workload } from '../chain/workloads.ts'

/** The contract that the tool gives cells to, and code that writes slots and values of its input. */
export const CONTRACT: Buffer = Buffer.alloc(20, 0x77)
/** Accounts, and cells, that a block changes. */
const CHANGES = 20
/** Spreads numbers over a range without repeating one early. */
export const STRIDE = 7_919
const CREATION_GAS = 3_000_000n
const SPREAD_GAS = 1_000_000n
const CELLS_GAS = 1_000_000n
const WORD_BYTES = 32

/** The slot of the cell of a number. */
export function slotOf(number: number): Buffer {
  return keccak256(word(BigInt(number)))
}

/** Blocks that give some of the accounts a wei each and some of the cells a value, all over a state of a size. */
export function createStateWorkload(size: number): Workload {
  const treasury = new Sender('cow')
  const spread = contractAddressOf(treasury.address, treasury.nonce)
  const create = treasury.send({ data: fromHex(readArtefact('Spread').bytecode), gas: CREATION_GAS })
  let block = 0
  const next = (): SignedTransaction[] => {
    block += 1
    const from = (block * STRIDE) % Math.max(1, size - CHANGES)
    const fund = encodeCall('fund(uint256,uint256)', [BigInt(from), BigInt(CHANGES)])
    const cells = Array.from({ length: CHANGES }, (_, i) =>
      Buffer.concat([slotOf((block * CHANGES + i) % size), word(BigInt(size + block))]),
    )
    return [
      treasury.send({ to: spread, data: fund, value: BigInt(CHANGES), gas: SPREAD_GAS }),
      treasury.send({ to: CONTRACT, data: Buffer.concat(cells), gas: CELLS_GAS }),
    ]
  }
  return { setup: [[create]], contract: CONTRACT, next }
}

function word(number: bigint): Buffer {
  const bytes = bigIntToBytes(number)
  return Buffer.concat([Buffer.alloc(WORD_BYTES - bytes.length), bytes])
}
