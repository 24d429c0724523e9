import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Blockchain } from '../../chain/blockchain.ts'
import { type Block, parseBlock } from '../../chain/codec/block.ts'
import { CodecError } from '../../chain/codec/errors.ts'
import { RlpError, rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { ExportError, exportBlocks } from '../../chain/exportBlocks.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import { invalidParams, RpcError } from '../../rpc/errors.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Bytes of blocks that a dump may hold: a small one must not unpack to all memory. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * The blocks of a development chain behind genesis, gzipped: another node of the network makes the same state of them.
 * @throws RpcError -32000 where blocks alone do not make the state: after edits and impersonation
 */
export async function dumpChain({ reader, head }: Blockchain): Promise<Buffer> {
  try {
    if (reader.hasEditedState(head.hash)) {
      throw new ExportError(head.number, 'has a state that was edited by hand')
    }
    const blocks = [...exportBlocks(reader, { from: 1, to: head.number })]
    return await compress(Buffer.concat(blocks.map(({ encoded }) => encoded)))
  } catch (error) {
    if (!(error instanceof ExportError)) throw error
    throw new RpcError('executionFailed', `the chain cannot be dumped: ${error.message}`, { cause: error })
  }
}

/** The blocks of a dump. @throws RpcError -32602 for bytes that are none */
export async function readDump(spec: NetworkSpec, dump: Uint8Array): Promise<Block[]> {
  try {
    const bytes = await decompress(dump, { maxOutputLength: MAX_BYTES })
    const blocks: Block[] = []
    for (let position = 0; position < bytes.length; ) {
      const length = rlpItemLength(bytes, position)
      blocks.push(parseBlock(spec, bytes.subarray(position, position + length)))
      position += length
    }
    return blocks
  } catch (error) {
    const isFormat = error instanceof RlpError || error instanceof CodecError
    // zlib says what is wrong with its input by a code of its own.
    const isPacked = error instanceof Error && 'code' in error
    if (!isFormat && !isPacked) throw error
    throw invalidParams(`Invalid state: no dump of this node: ${error.message}`, { cause: error })
  }
}
