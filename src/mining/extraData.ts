import { encodeByte, encodeBytes, encodeList } from '../chain/codec/rlpWriter.ts'
import { MAXIMUM_EXTRA_DATA_BYTES } from '../config/consensus.ts'
import { MiningError } from './errors.ts'

/** Version of the layout. */
const LAYOUT = 1

/**
 * Extra data of the blocks that a client makes: RLP `[01, client]` (consensus.md §9.4).
 * @throws MiningError `EXTRA_DATA`
 */
export function createExtraData(client: string): Buffer {
  const extraData = encodeList([encodeByte(LAYOUT), encodeBytes(Buffer.from(client, 'utf8'))])
  if (extraData.length <= MAXIMUM_EXTRA_DATA_BYTES) return extraData
  throw new MiningError(
    'EXTRA_DATA',
    `extra data of ${extraData.length} bytes, at most ${MAXIMUM_EXTRA_DATA_BYTES} expected`,
  )
}
