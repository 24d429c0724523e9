import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ChainReader } from '../../chain/chainReader.ts'
import { ExportError, HistoryError, exportBlocks as storedBlocks } from '../../chain/exportBlocks.ts'
import { networkByName } from '../../config/networks/byName.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { openConfiguredStores } from '../openNode.ts'

/** `rhizome export`: writes the canonical chain as RLP blocks. */
export const exportBlocks = defineCommand({
  name: 'export',
  summary: 'write the canonical chain to a file',
  files: 'none',
  options: ['network', 'dataDir', 'config', 'logLevel', 'logFormat'],
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
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const opened = await openConfiguredStores(config)
    try {
      const blocks = storedBlocks(new ChainReader(networkByName(config.network), opened.environment), {
        from: extra.from,
        to: extra.to,
      })
      let count = 0
      const encoded = function* (): Generator<Buffer> {
        for (const block of blocks) {
          count += 1
          yield block.encoded
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

function describeRefusal(error: unknown): never {
  if (error instanceof HistoryError) {
    const message = `${error.message}. Those can be exported with --from ${error.firstBlock}.`
    throw new CommandError('Failed', message, undefined, { cause: error })
  }
  if (!(error instanceof ExportError)) throw error
  const message = `${error.message}. Blocks before it can be exported with --to ${error.number - 1}.`
  throw new CommandError('Failed', message, undefined, { cause: error })
}
