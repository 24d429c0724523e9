import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ChainStoreReader } from '../../chain/chainStoreReader.ts'
import type { Block } from '../../chain/codec/block.ts'
import { ExportError, HistoryError, exportBlocks as storedBlocks } from '../../chain/exportBlocks.ts'
import { referenceLine } from '../../chain/referenceLine.ts'
import { configuredNetwork } from '../../config/networks/configured.ts'
import { StorageError } from '../../storage/errors.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { openConfiguredStores } from '../openNode.ts'

/** `rhizome export`: writes the canonical chain as RLP blocks or in the line format of the reference. */
export const exportBlocks = defineCommand({
  name: 'export',
  summary: 'write the canonical chain to a file',
  files: 'none',
  options: ['network', 'activationHeights', 'dataDir', 'config', 'logLevel', 'logFormat'],
  extra: {
    from: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      doc: 'First block',
    },
    to: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: () => Number.MAX_SAFE_INTEGER,
      defaultText: 'the head',
      doc: 'Last block',
    },
    output: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'FILE',
      default: null,
      doc: 'File to write; none writes to the standard output',
    },
    format: {
      kind: 'choice',
      group: 'Command',
      values: ['rlp', 'reference'],
      default: 'rlp',
      doc: "rlp: blocks one after the other; reference: lines number,hash,totalDifficulty,RLP as the reference's ExportBlocks writes and its ConnectBlocks reads them. import takes both",
    },
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const opened = await openConfiguredStores(config)
    try {
      const reader = new ChainStoreReader(configuredNetwork(config), opened.environment)
      const blocks = storedBlocks(reader, { from: extra.from, to: extra.to })
      const write = extra.format === 'reference' ? asLine(reader) : (block: Block) => block.encoded
      let count = 0
      const encoded = function* (): Generator<Buffer | string> {
        for (const block of blocks) {
          count += 1
          yield write(block)
        }
      }
      const source = Readable.from(encoded())
      const target = extra.output === null ? stdout : createWriteStream(extra.output)
      await pipeline(source, target, { end: extra.output !== null }).catch(describeRefusal)
      stderr.write(`${count} blocks exported\n`)
      return EXIT_CODES.ok
    } finally {
      await opened.close()
    }
  },
})

function asLine(reader: ChainStoreReader): (block: Block) => string {
  return (block) => {
    const totalDifficulty = reader.totalDifficulty(block.hash)
    if (totalDifficulty === null) {
      throw new StorageError('STORAGE_CORRUPT', `block ${block.number} has no total difficulty`)
    }
    return referenceLine(block, totalDifficulty)
  }
}

function describeRefusal(error: unknown): never {
  if (error instanceof HistoryError) {
    const message = `${error.message}. Those can be exported with --from ${error.firstBlock}.`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
  if (!(error instanceof ExportError)) throw error
  const message = `${error.message}. Blocks before it can be exported with --to ${error.number - 1}.`
  throw new CommandError('Failed', message, undefined, { cause: error })
}
