import type { MiningWork } from '../../mining/interface.ts'
import { toHex } from '../../util/bytes.ts'

/** Work as pools read it: exactly these fields in this order (mining.md §2). */
export function formatWork({ hashForMergedMining, target, fees, notify, parentHash }: MiningWork) {
  return {
    blockHashForMergedMining: toHex(hashForMergedMining),
    target: toHex(target),
    feesPaidToMiner: fees.toString(),
    notify,
    parentBlockHash: toHex(parentHash),
  }
}
