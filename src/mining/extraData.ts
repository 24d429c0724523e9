import { encodeByte, encodeBytes, encodeList } from '../chain/codec/rlpWriter.ts'
import { MAX_EXTRA_DATA_BYTES } from '../chain/consensus.ts'
import { MiningError } from './errors.ts'

/** Version of the layout. */
const LAYOUT = 1

/**
 * Extra data of the blocks of a client: RLP `[01, client]`, or `[01, client, text]` with a text of the miner
 * (consensus.md §9.4).
 * @throws MiningError `EXTRA_DATA`
 */
export function createExtraData(client: string, text: string | null = null): Buffer {
  const own = text === null ? [] : [encodeText(text)]
  const extraData = encodeList([encodeByte(LAYOUT), encodeText(client), ...own])
  if (extraData.length <= MAX_EXTRA_DATA_BYTES) return extraData
  throw new MiningError(
    'EXTRA_DATA',
    `extra data of ${extraData.length} bytes, at most ${MAX_EXTRA_DATA_BYTES} expected`,
  )
}

function encodeText(text: string): Buffer {
  return encodeBytes(Buffer.from(text, 'utf8'))
}
