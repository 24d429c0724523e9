import { itemAt } from '../../chain/codec/rlpReader.ts'
import { encodeStrings } from '../../chain/codec/rlpWriter.ts'
import { decoding, hashOf, MAX_FIELDS, numberOf, readList, unsignedDifficultyOf } from './fields.ts'

/** STATUS 0x10 (p2p.md §3 STATUS 0x10): which chain a node is on. */
export interface EthStatus {
  readonly protocolVersion: number
  readonly networkId: number
  readonly totalDifficulty: bigint
  readonly bestHash: Buffer
  readonly genesisHash: Buffer
}

/** Payload of STATUS 0x10. */
export function encodeEthStatus(status: EthStatus): Buffer {
  return encodeStrings([
    status.protocolVersion,
    status.networkId,
    status.totalDifficulty,
    status.bestHash,
    status.genesisHash,
  ])
}

/** @throws P2pError MESSAGE */
export function decodeEthStatus(payload: Buffer): EthStatus {
  return decoding('STATUS', () => {
    const fields = readList(payload, MAX_FIELDS)
    return {
      protocolVersion: numberOf(itemAt(fields, 0)),
      networkId: numberOf(itemAt(fields, 1)),
      totalDifficulty: unsignedDifficultyOf(itemAt(fields, 2)),
      bestHash: hashOf(itemAt(fields, 3)),
      genesisHash: hashOf(itemAt(fields, 4)),
    }
  })
}
