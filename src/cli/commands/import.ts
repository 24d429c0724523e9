import { BlockSourceError } from '../../chain/import/blockSource.ts'
import { type ImportReport, importBlocks as importFile } from '../../chain/import/importBlocks.ts'
import { configuredNetwork, type NetworkOptions } from '../../config/networks/configured.ts'
import type { OpenChain } from '../../execution/openChain.ts'
import { createLogger } from '../../observe/logger.ts'
import type { TextOutput } from '../../observe/logOutput.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES, type ExitCode } from '../exitCodes.ts'
import {
  createImportDisplay,
  formatPace,
  formatSeconds,
  type ImportDisplay,
  paceOf,
} from '../importDisplay.ts'
import { interruptible } from '../interruption.ts'
import { migrateConfigured } from '../migration.ts'
import { openConfiguredChain } from '../openNode.ts'

/** `rhizome import FILE…`: reads blocks, validates, executes and stores them. */
export const importBlocks = defineCommand({
  name: 'import',
  summary: 'import blocks from files',
  details:
    'Accepts recorded JSON lines (an rlp per line), concatenated RLP blocks and exports of the reference node, ' +
    'each plain or compressed with zstd, gzip or Brotli (.br). ' +
    'Stops at the first invalid block; an interrupted import goes on where it was.',
  files: 'some',
  options: [
    'network',
    'activationHeights',
    'dataDir',
    'config',
    'workers',
    'logLevel',
    'logFormat',
    'commitEvery',
    'stateCache',
    'proofs',
    'history',
  ],
  extra: {},
  run: async ({ config, files, stdout, stderr }) => {
    const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
    if ((await migrateConfigured(config, logger, { stderr })) === null) return EXIT_CODES.ok
    const opened = openConfiguredChain(config)
    return interruptible(async (signal) => {
      for (const path of files) {
        const start = Date.now()
        const display = createImportDisplay(stderr, logger)
        const report = await importOne(opened, path, config, signal, display)
        stdout.write(`${path}: ${describe(report, Date.now() - start)}\n`)
        const code = exitCodeOf(report, stderr)
        if (code !== EXIT_CODES.ok || report.interrupted) return code
      }
      return EXIT_CODES.ok
    }).finally(() => opened.close())
  },
})

async function importOne(
  { chain }: OpenChain,
  path: string,
  config: NetworkOptions & { readonly commitEvery: number },
  signal: AbortSignal,
  display: ImportDisplay,
): Promise<ImportReport> {
  const onProgress = display.update
  try {
    return await importFile({
      path,
      spec: configuredNetwork(config),
      chain,
      commitEvery: config.commitEvery,
      signal,
      onProgress,
    })
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (!(error instanceof BlockSourceError) && !missing) throw error
    throw new CommandError(
      'Failed',
      missing ? `no file ${path}` : `${path}: ${(error as Error).message}`,
      undefined,
      { cause: error },
    )
  } finally {
    display.end()
  }
}

function describe(report: ImportReport, milliseconds: number): string {
  const known = report.blocks - report.connected
  return [
    `${report.connected} blocks and ${report.transactions} transactions imported`,
    ...(known > 0 ? [`${known} known or waiting`] : []),
    `head ${report.head}`,
    `${formatSeconds(milliseconds / 1000)}, ${formatPace(paceOf(report, milliseconds))}`,
    ...(report.interrupted ? ['interrupted'] : []),
  ].join('; ')
}

/** @throws UndecidedBlockError */
function exitCodeOf(report: ImportReport, stderr: TextOutput): ExitCode {
  const { invalid, undecided, orphans } = report
  if (invalid !== null) {
    stderr.write(
      `error: invalid block ${invalid.number} ${invalid.hash}\n` +
        `  rule     ${invalid.rule}\n  expected ${invalid.expected}\n  found    ${invalid.found}\n`,
    )
    return EXIT_CODES.invalidBlock
  }
  if (undecided !== null) throw undecided
  if (orphans > 0 && !report.interrupted) {
    stderr.write(`error: ${orphans} blocks have a parent that is neither stored nor in the file\n`)
    return EXIT_CODES.failed
  }
  return EXIT_CODES.ok
}
