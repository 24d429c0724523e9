import type { HeaderFields } from '../chain/codec/headerFields.ts'
import type { BlockEnvironment } from '../native/types.ts'
import { bigIntToBytes, bytesToBigInt } from '../util/bytes.ts'

/** COINBASE of a block whose coinbase is empty (consensus.md §2.7). */
const NO_COINBASE = Buffer.alloc(20)

/** The header fields of the block environment of the EVM. */
export type ExecutingHeader = Pick<
  HeaderFields,
  'number' | 'timestamp' | 'difficultyBytes' | 'gasLimitBytes' | 'coinbase' | 'minimumGasPrice' | 'parentHash'
>

/** Bytes of a gas limit that the executor takes as the number that they are. */
const USUAL_GAS_LIMIT_BYTES = 8

/** The block environment of the EVM. */
export function toBlockEnvironment(fields: ExecutingHeader): BlockEnvironment {
  const { length: width } = fields.gasLimitBytes
  return {
    number: fields.number,
    timestamp: fields.timestamp,
    difficulty: fields.difficultyBytes,
    gasLimit: bytesToBigInt(fields.gasLimitBytes),
    ...(width > USUAL_GAS_LIMIT_BYTES ? { gasLimitWidth: width } : {}),
    coinbase: fields.coinbase.length === 0 ? NO_COINBASE : fields.coinbase,
    minimumGasPrice: bigIntToBytes(fields.minimumGasPrice ?? 0n),
    parentHash: fields.parentHash,
  }
}
